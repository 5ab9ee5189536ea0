"""The report page: one folder that opens from a disk and from any web host.

`index.html` holds tables and charts; every game's replay is a script file of its own beside it, because a
page opened from a disk may load scripts but may not fetch data. Nothing is loaded from a network.

`contents` reads the store, `replays` turns a record into what the page steps through, `folder` writes files;
`page.html`, `style.css`, `board.js` and `report.js` are what the browser gets.
"""

REPLAYS = 10_000
"""Up to so many games of an event, each has a replay."""

OF_MORE = 1_000
"""Of more games, so many have one: reading and replaying a million would take an hour."""
