"""The live part, the only one on trio: engine processes, the referee, the tournament."""
