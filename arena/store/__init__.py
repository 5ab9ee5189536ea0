"""The SQLite file of a tournament: schema, records, and the only SQL of the project."""
