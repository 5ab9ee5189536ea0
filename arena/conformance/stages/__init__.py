"""The stages of the suite, one file each, in the order in which they are tried (`arena.conformance.suite`)."""
