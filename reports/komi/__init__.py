"""What the komi laboratory shows: its games read from records, tables, charts."""
