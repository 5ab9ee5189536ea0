"""How the weights that engines ship were made: scripts to run again, and what they wrote."""
