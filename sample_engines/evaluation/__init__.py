"""What one ply is worth, one module a game: `rank(position, moves)` values each move for the side to move.

Values are comparable within one call only; higher is better. The weights were tried against each other in
short matches and are meant to be sensible, not tuned.
"""
