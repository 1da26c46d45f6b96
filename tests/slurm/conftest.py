from collections.abc import Iterator

import pytest

from tests.slurm.head import RELEASES, Release, opened


@pytest.fixture(scope="module", params=RELEASES)
def release(request: pytest.FixtureRequest) -> Iterator[Release]:
    """A release of Slurm, whose head nodes run one after another."""
    with opened(request.param) as release:
        yield release
