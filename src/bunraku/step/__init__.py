"""Constraints between bodies: how they respond to impulses, and the solvers that find the impulses."""
