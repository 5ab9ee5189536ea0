"""A cluster of two workers for the tests of a module; what they break is started anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from arena.cluster.trial import Trial
from tests.cluster.clusters import tended

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def cluster() -> Iterator[Trial]:
    # Of a module, not of the session: tests elsewhere look whether this process has children left.
    with tended(Trial(2)) as trial:
        yield trial
