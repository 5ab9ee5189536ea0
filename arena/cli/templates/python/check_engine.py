"""Checks of the engine, run by `python3 -m unittest` in this folder."""

import subprocess
import sys
import unittest
from pathlib import Path

ENGINE = [sys.executable, str(Path(__file__).with_name("engine.py"))]


class EngineTest(unittest.TestCase):
    """Talks to the engine as a referee does: through its standard input and output."""

    def setUp(self):
        """Start the engine."""
        self.process = subprocess.Popen(ENGINE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def tearDown(self):
        """End it, in whatever state it is."""
        self.process.kill()
        self.process.communicate()

    def ask(self, command):
        """Send a command and return its reply without the empty line."""
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        lines = []
        while (line := self.process.stdout.readline()) not in ("\n", ""):
            lines.append(line.rstrip("\n"))
        return "\n".join(lines)

    def test_it_lists_what_a_referee_needs(self):
        """Every required command is there."""
        listed = self.ask("list_commands")[2:].split("\n")
        for command in ("boardsize", "komi", "clear_board", "play", "genmove", "quit"):
            self.assertIn(command, listed)

    def test_it_refuses_what_it_cannot_play(self):
        """Sizes, moves and commands that are wrong get a `?`."""
        for command in ("boardsize 26", "play black Z99", "genmove white", "nonsense", "komi 1.5"):
            self.assertTrue(self.ask(command).startswith("?"), command)

    def test_it_plays_a_game_to_its_end(self):
        """Both sides by the engine, every move one that it lists itself as legal."""
        for command in ("boardsize 5", "komi 1", "clear_board"):
            self.assertTrue(self.ask(command).startswith("="), command)
        for turn in range(500):
            legal = self.ask("gogui-rules_legal_moves")[1:].split()
            if not legal:
                return
            self.assertIn(self.ask(f"genmove {'black' if turn % 2 == 0 else 'white'}")[2:], legal)
        self.fail("the game did not end")


if __name__ == "__main__":
    unittest.main()
