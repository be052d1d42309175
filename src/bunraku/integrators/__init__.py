"""Moving a state on in time."""
