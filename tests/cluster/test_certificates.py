"""Where a trial cluster keeps its certificates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from arena.cluster.trial import Trial

if TYPE_CHECKING:
    import pytest


def test_their_folder_may_be_named_from_where_the_cluster_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with Trial(0, folder=Path("certificates")) as trial:
        assert trial.address.startswith("tls://127.0.0.1:")
        assert trial.certificates.ca == tmp_path / "certificates" / "ca.pem"
