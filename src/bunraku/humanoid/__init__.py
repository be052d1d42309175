"""What a figure with two legs is made of: feet and their soles, legs, trunk and hands; stances, mappings, names of
skeletons."""
