import pytest

from hpc_components.catalog import regions, zones
from hpc_components.gcp.lustre.offer import facts_of_kind, is_sold


@pytest.mark.parametrize(
    ("zone", "sold"),
    [
        ("asia-east1-a", True),
        ("asia-east1-b", False),  # its region's row is known whole
        ("us-central1-f", True),
        ("me-west1-a", None),  # in an earlier version of the list it was missing
        ("us-east4-b", None),
    ],
)
def test_zones_have_managed_lustre_where_a_page_says_so(zone: str, sold: bool | None) -> None:
    assert is_sold(zone) is sold


def test_listed_zones_are_zones_of_their_region() -> None:
    for record in facts_of_kind("zones"):
        assert record["region"] in regions("gcp")
        assert {*record["zones"].split()} <= {*zones("gcp", record["region"])}, record
