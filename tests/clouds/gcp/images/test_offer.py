import pytest
from catalog.present import held

from hpc_components.gcp.images.offer import ImageOrder, refusals

UBUNTU = "projects/ubuntu-os-cloud/global/images/family/ubuntu-2404-lts-amd64"
SYSTEM, DRIVER = "HPC-OSI-016", "HPC-OSI-017"


@pytest.mark.parametrize(
    ("image", "os", "machine", "expected"),
    [
        (UBUNTU, "ubuntu-24.04", "h3-standard-88", []),
        (UBUNTU, "ubuntu-24.04", "c4a-standard-72", [(SYSTEM, "machine")]),
        (UBUNTU, "debian-12", "h3-standard-88", [(SYSTEM, "os")]),
        (UBUNTU, "ubuntu-24.04", "g2-standard-4", [(DRIVER, "machine")]),
        ("projects/my-project/global/images/mine", "ubuntu-24.04", "g2-standard-4", []),
    ],
)
def test_an_image_from_which_nodes_would_not_start_is_refused(
    image: str, os: str, machine: str, expected: list[tuple[str, str]]
) -> None:
    found = refusals(ImageOrder(image=image, os=os, machine=held("gcp", machine)))
    assert [(each.limit.id, each.conflicts_with) for each in found] == expected
