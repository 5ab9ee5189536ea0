"""The stages of the suite, one file each; `arena.conformance.suite` has their order."""
