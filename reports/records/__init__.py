"""Records of games in files of other programs, written and read: docs/records.md describes every form.

`objects` is the middle of it: one game as the JSON object of the contract, and back into a `GameRecord` that
the rules have confirmed. The forms (`lines`, `plain`, `sgf`, `columns`) only turn such objects into bytes and
bytes into such objects. What is read comes from outside: bounded, typed, and refused with a sentence that
names the place.
"""
