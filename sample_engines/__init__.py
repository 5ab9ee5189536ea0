"""Engines to copy and to measure against, one file each."""
