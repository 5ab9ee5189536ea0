"""Monte Carlo tree search for the four games: cores of plain integer code, compiled where numba is installed."""
