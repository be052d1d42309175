"""Mutants: small mistakes put into a copy of the package, one at a time, and the tests that must notice each of them.

`python -m tests.mutants` tries them; see README.md beside this file.
"""
