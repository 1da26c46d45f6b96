import pytest

from clouds.gcp.rules.judged import HOME, cluster
from clouds.gcp.sample import NETWORK, TAGS
from hpc_components.gcp.home.args import home_args


@pytest.mark.parametrize(
    ("change", "location"),
    [({}, "us-central1-a"), ({"zone": "us-central1-b"}, "us-central1-b"), ({"tier": "regional"}, "us-central1")],
)
def test_filestore_is_in_its_zone_or_the_region(change, location):
    described = cluster(storage={"home": HOME | change})
    args = home_args(described, described.storage["home"], NETWORK, TAGS)
    assert (args.location, args.capacity_gib, args.tier) == (location, 1024, change.get("tier", "zonal"))
