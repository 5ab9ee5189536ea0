"""Web pages of a run and of a game against an engine, each served by a process of its own."""
