"""Positions that people wrote down because engines stumble there; games without an entry do without.

Each names the rule that it is about. A test plays all of them through the rules core.
"""

from __future__ import annotations

from arena.conformance.positions import Line, line_of

SPECIAL: dict[str, list[Line]] = {
    "pletore": [
        line_of("pletore", ["button"], size=5, komi=1, label="the button is taken"),
        line_of("pletore", ["A1", "button"], size=5, komi=1, label="the button is taken by White"),
        line_of("pletore", ["B2"], size=4, komi=1, label="even board: White may not answer opposite, at C3"),
        line_of("pletore", ["A1"], size=2, komi=1, label="even board of two lines"),
        line_of("pletore", ["A1", "B2"], size=3, komi=0, label="no button, no pass yet"),
        line_of(
            "pletore", ["C4", "A1", "D5"], size=5, komi=0, label="D4 is controlled by Black: not for White"
        ),
        line_of(
            "pletore", ["C4", "D4", "D5"], size=5, komi=0, label="the stone on D4 is controlled by Black"
        ),
    ],
    "pente": [
        line_of("pente", [], size=19, label="Black begins in the centre"),
        line_of(
            "pente",
            ["K10", "K11", "A1", "K12", "K13"],
            size=19,
            label="K11 and K12 were taken and are empty again",
        ),
        line_of(
            "pente",
            ["K10", "K11", "A1", "K12", "K13", "K11"],
            size=19,
            label="K11 was taken and is in use again",
        ),
        line_of("pente", ["K10", "A19", "T1", "T19"], size=19, label="stones in the corners"),
    ],
    "topolo": [
        line_of("topolo", ["A2:1"], size=8, label="rows 2, 4, 6, 8 come first"),
        line_of("topolo", ["H7:3", "A1:3"], size=8, label="rows 1, 3, 5, 7 come first"),
        line_of("topolo", ["A1:3", "B1:3", "C1:3", "D1:3"], size=4, label="both have used up height 3"),
    ],
    "plakoto": [
        line_of("plakoto", [((6, 5), "24/18,24/19")], dice=(3, 3), label="doubles are played four times"),
        line_of("plakoto", [((6, 5), "24/18,24/19")], dice=(6, 5), label="single checkers of the other side"),
    ],
}
