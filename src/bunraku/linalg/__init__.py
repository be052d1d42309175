"""Linear algebra inside kernels: dense factorisations in lanes, and the order and pattern of sparse ones."""
