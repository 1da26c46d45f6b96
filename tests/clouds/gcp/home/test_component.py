from typing import Any

import pulumi
import pytest
from both_modes import checked_preview

from clouds.gcp.sample import NETWORK, PROJECT, REGION, TAGS, ZONE
from hpc_components.gcp.home.component import HomeFilesystem, HomeFilesystemArgs
from hpc_components.gcp.network.component import Vpc, VpcArgs
from hpc_components.preview.record import UNKNOWN, RecordedResource, Recording, record

INSTANCE = "gcp:filestore/instance:Instance"
KEY = f"projects/{PROJECT}/locations/{REGION}/keyRings/hpc/cryptoKeys/home"


def args(**change: Any) -> HomeFilesystemArgs:
    usual: dict[str, Any] = {
        "project": PROJECT,
        "mount": "/home",
        "capacity_gib": 1024,
        "location": ZONE,
        "network": NETWORK,
        "tags": TAGS,
    }
    return HomeFilesystemArgs(**{**usual, **change})


def make(**change: Any) -> None:
    mount = HomeFilesystem("cfd-home", args(**change)).mount
    pulumi.export("mount", [mount.type, mount.mount, mount.server, mount.export, mount.options])


def made(**change: Any) -> RecordedResource:
    return record(lambda: make(**change)).one(INSTANCE)


@pytest.fixture(scope="module")
def usual() -> Recording:
    return checked_preview(make)


def test_a_filestore_home_is_ordered_as_described(usual):
    """The share is one object, not a list; the whole network has access, including root."""
    assert usual.one(INSTANCE).inputs == {
        "deletionProtectionEnabled": True,
        "fileShares": {
            "capacityGb": 1024,
            "name": "vol1",
            "nfsExportOptions": [
                {"accessMode": "READ_WRITE", "ipRanges": ["10.20.0.0/16"], "squashMode": "NO_ROOT_SQUASH"}
            ],
        },
        "labels": {"clustername": "cfd", "name": "cfd-home", "project": "wing"},
        "location": ZONE,
        "networks": [{"connectMode": "PRIVATE_SERVICE_ACCESS", "modes": ["MODE_IPV4"], "network": NETWORK.id}],
        "project": PROJECT,
        "protocol": "NFS_V3",
        "tier": "ZONAL",
    }


def test_a_home_is_kept_with_its_data(usual):
    assert (usual.one(INSTANCE).protect, usual.one(INSTANCE).retain) == (True, True)
    thrown = made(retain=False)
    assert (thrown.protect, thrown.retain) == (False, False)
    assert thrown.inputs["deletionProtectionEnabled"] is False


def test_the_mount_says_server_and_options(usual):
    kind, mount, server, export, options = usual.outputs["mount"]
    assert (kind, mount, server, export) == ("nfs", "/home", UNKNOWN, "/vol1")
    assert {"nfsvers=3", "hard", "_netdev"} <= {*options.split(",")}


def test_it_is_in_the_range_that_is_lent_to_google_and_made_after_the_connection():
    def program() -> None:
        vpc = Vpc("cfd", VpcArgs(project=PROJECT, region=REGION, cidr="10.20.0.0/16", services=True, tags=TAGS))
        make(network=vpc.network)

    recording = checked_preview(program)
    instance = recording.one(INSTANCE)
    assert recording.one("Connection").urn in instance.depends_on
    assert recording.one("GlobalAddress").urn in instance.property_dependencies["networks"]
    assert instance.inputs["networks"][0]["reservedIpRange"] == UNKNOWN


@pytest.mark.parametrize(
    ("tier", "location", "size", "protected"),
    [("basic_hdd", ZONE, 1024, None), ("basic_ssd", ZONE, 2560, None), ("regional", REGION, 1024, True)],
)
def test_each_tier_is_ordered_as_described(tier, location, size, protected):
    inputs = made(tier=tier, location=location, capacity_gib=size).inputs
    assert (inputs["tier"], inputs["location"]) == (tier.upper(), location)
    assert inputs.get("deletionProtectionEnabled") is protected, "basic tiers have no protection"


def test_the_users_own_key_encrypts_the_home():
    assert made(kms_key=KEY).inputs["kmsKeyName"] == KEY


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"tier": "enterprise"},
            "tier: 'enterprise' is not a Filestore tier; use one of basic_hdd, basic_ssd, zonal, regional",
        ),
        (
            {"capacity_gib": 1000},
            "capacity_gib = 1000: Filestore zonal supports 1,024 to 102,400 GiB, not 1,000; use 1024",
        ),
        (
            {"capacity_gib": 1100},
            "capacity_gib = 1100: Filestore zonal supports 1,024 to 102,400 GiB in fixed steps, and 1,100 GiB is "
            "between two steps; use 1280; or use 1024",
        ),
        (
            {"location": REGION},
            "location = 'us-central1': a zonal Filestore instance is in a zone; "
            "use a zone in that region; or use tier=",
        ),
        (
            {"tier": "regional"},
            "location = 'us-central1-a': a regional Filestore instance is in all zones of a region; "
            "use 'us-central1'; or use",
        ),
        (
            {"tier": "basic_hdd", "kms_key": KEY},
            f"kms_key = '{KEY}': Filestore basic_hdd does not support your own encryption key; use tier='zonal'",
        ),
        ({"kms_key": "mine"}, "kms_key: 'mine' is not the id of a key"),
        (
            {"kms_key": KEY.replace(REGION, "europe-west4")},
            "kms_key: a key in europe-west4 can't be used in us-central1",
        ),
    ],
)
def test_arguments_that_google_refuses_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=r"^HomeFilesystemArgs\.") as error:
        args(**change)
    assert message in str(error.value)
