"""Small vectors, lanes, trigonometry, and how kernels are compiled."""
