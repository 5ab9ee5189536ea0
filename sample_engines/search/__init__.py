"""Searches for the four games: cores of plain integer code, compiled where numba is installed.

`*_core` is a game, `tree` (Monte Carlo), `alphabeta` and `expectiminimax` are searches; `assemble` joins a
game and a search, `ready` sees to the compiler, `followed` and `core_player` connect it all to an engine of
the protocol.
"""
