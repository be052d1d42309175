"""Contact: what a contact problem is, how far an answer is from solving it, and the solvers."""
