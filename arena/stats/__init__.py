"""Pure numbers: ratings, sequential tests, intervals, komi estimation; every formula names its source."""
