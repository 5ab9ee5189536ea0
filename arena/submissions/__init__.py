"""Engines that others hand in: a folder becomes a bundle known by its content, and an entry known by name."""
