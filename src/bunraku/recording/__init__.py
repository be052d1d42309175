"""Recordings: what a world did, step by step, written to a file while it runs and read back; motions of single figures."""
