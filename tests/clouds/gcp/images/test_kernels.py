"""Images of nodes, by the kernel that their Lustre client supports."""

import pytest

from hpc_components.catalog import machine
from hpc_components.gcp.catalog.images import image_of, public_image


@pytest.mark.parametrize(("kernel", "release"), [(None, False), ("6.8", True), ("6.17", False), ("5.15", False)])
def test_an_older_image_is_taken_only_for_an_older_kernel(kernel: str | None, release: bool) -> None:
    facts = machine("gcp", "h3-standard-88")
    assert facts
    found = image_of("ubuntu-24.04", facts, kernel)
    assert found
    assert (found.release is not None) == release
    assert found.id.endswith("ubuntu-2404-noble-amd64-v20250115" if release else "family/ubuntu-2404-lts-amd64")


def test_a_release_is_known_by_its_name() -> None:
    older = public_image("projects/ubuntu-os-cloud/global/images/ubuntu-2404-noble-amd64-v20250115")
    newest = public_image("projects/ubuntu-os-cloud/global/images/ubuntu-2404-noble-amd64-v20260820")
    assert older
    assert newest
    assert (older.kernel, newest.kernel) == ("6.8", "6.17")
