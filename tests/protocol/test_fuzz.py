"""The fuzzer that is guided by coverage, where it can be installed, for a bounded number of inputs."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def fuzzed(runs: int, folder: Path) -> None:
    if find_spec("atheris") is None:
        pytest.skip("atheris is not installed: it comes with gtparena[test] on Linux, x86-64")
    bounds = [f"-runs={runs}", "-seed=1", "-max_len=400", f"-artifact_prefix={folder}/"]
    command = [sys.executable, "-m", "tests.protocol.fuzz_streams", *bounds]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=3600)
    assert ended.returncode == 0, ended.stderr[-3000:]
    assert f"Done {runs} runs" in ended.stderr


def test_no_bytes_that_coverage_leads_to_raise_or_depend_on_their_cut(tmp_path: Path) -> None:
    fuzzed(5_000, tmp_path)


@pytest.mark.soak
def test_three_hundred_thousand_such_streams_neither(tmp_path: Path) -> None:
    fuzzed(1_000_000, tmp_path)
