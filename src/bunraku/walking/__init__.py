"""Walking: from footsteps to a pattern of the whole figure, to a walker in the physical world, to a report.

See docs/walking.md.
"""
