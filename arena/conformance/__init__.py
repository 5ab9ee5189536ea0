"""Does an engine keep the protocol and the rules? A suite of small cases, played live with the real program.

`suite.cases` lists what is tried for a game, `Bench` holds the engine's processes, `suite.run_suite` does it
all. The suite knows games by the `Rules` interface alone, so a game that comes as a plugin is tested like the
others.
"""
