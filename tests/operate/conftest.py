from collections.abc import Iterator

import pytest
from elastic.lab import Lab

from .doctor_site import Clinic


@pytest.fixture(scope="module")
def clinic(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clinic]:
    """A cluster to break and to mend. `lab` is that of the test's module."""
    with Clinic(lab, tmp_path_factory.mktemp("laptop")).opened() as made:
        yield made
