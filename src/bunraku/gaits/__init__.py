"""Steps of walking and running that are derived from mechanics alone."""
