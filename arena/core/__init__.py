"""Pure decisions: clock, verdicts, schedule, openings, dice, seeds. No I/O, no time or chance of its own."""
