"""Contact by virtual links (Nakamura & Yamane 2000): hypotheses about how patches touch, checked and revised.

See docs/virtual-link.md.
"""
