"""Measurements, run by hand (`make bench`): figures, ratios, and what the machine was doing meanwhile."""
