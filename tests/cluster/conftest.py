"""One cluster of two workers for all tests of this folder; what they break is started anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.cluster.trial import Trial

pytest.importorskip("distributed", reason="pip install 'gtparena[cluster]'")
pytest.importorskip("cryptography", reason="pip install 'gtparena[cluster]'")


@pytest.fixture(scope="session")
def cluster() -> Iterator[Trial]:
    from arena.cluster.trial import Trial
    from tests.cluster.clusters import tended

    with tended(Trial(2)) as trial:
        yield trial
