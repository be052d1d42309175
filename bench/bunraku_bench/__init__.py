"""Benchmarks of Bunraku beside its peers: `bunraku bench …`. Apart from the product, which never imports them."""
