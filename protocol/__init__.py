"""The line protocol (GTP 2 with `arena-` extensions), sans I/O, and the SDK for engine authors."""
