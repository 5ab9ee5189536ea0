"""What stands between a command and its first game."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

CODE = """
import os, sys
from arena.cli import main
from arena.live.tournament import Runner

async def run(self):
    print({"numpy", "scipy", "pandas", "networkx", "matplotlib"} & sys.modules.keys(), flush=True)
    os._exit(0)

Runner.run = run
sys.argv = ["arena", "match", "random_player", "greedy_player", "--game", "pletore", "--db", sys.argv[1]]
main()
"""


def test_a_run_loads_no_library_of_numbers_before_its_first_game(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CODE, str(tmp_path / "match.db")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.stdout == "set()\n", ended.stderr
