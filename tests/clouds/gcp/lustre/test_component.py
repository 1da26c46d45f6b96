from typing import Any

import pulumi
import pytest
from both_modes import checked_preview

from clouds.gcp.sample import NETWORK, OWN, PROJECT, REGION, TAGS, ZONE
from hpc_components.gcp.lustre.component import LustreFilesystem, LustreFilesystemArgs, server_in
from hpc_components.gcp.lustre.transfers import TRANSFER
from hpc_components.gcp.network.component import Vpc, VpcArgs
from hpc_components.gcp.ports import Identity
from hpc_components.preview.record import UNKNOWN, Recording, record

LINKED = {"import_from": "gs://wing-raw/2026", "export_to": "gs://wing-results", "copied_by": OWN}


KEY = f"projects/{PROJECT}/locations/{REGION}/keyRings/hpc/cryptoKeys/scratch"


def args(**change: Any) -> LustreFilesystemArgs:
    usual: dict[str, Any] = {
        "project": PROJECT,
        "mount": "/scratch",
        "capacity_gib": 18000,
        "zone": ZONE,
        "network": NETWORK,
        "tags": TAGS,
    }
    return LustreFilesystemArgs(**{**usual, **change})


def make(**change: Any) -> None:
    made = LustreFilesystem("cfd-scratch", args(**change))
    mount = made.mount
    pulumi.export("mount", [mount.type, mount.mount, mount.server, mount.export, mount.options])


@pytest.fixture(scope="module")
def usual() -> Recording:
    return checked_preview(make)


@pytest.fixture(scope="module")
def linked() -> Recording:
    return checked_preview(lambda: make(**LINKED))


def bound(recording: Recording) -> set[tuple[str, str]]:
    return {(each.inputs["bucket"], each.inputs["role"]) for each in recording.all("BucketIAMMember")}


def test_a_lustre_is_ordered_as_described(usual):
    made = usual.one("gcp:lustre/instance:Instance")
    assert made.inputs == {
        "capacityGib": "18000",
        "filesystem": "lustre",
        "instanceId": "cfd-scratch",
        "labels": {"clustername": "cfd", "name": "cfd-scratch", "project": "wing"},
        "location": ZONE,
        "network": NETWORK.id,
        "perUnitStorageThroughput": "1000",
        "project": PROJECT,
    }
    assert made.delete_before_replace, "two can't have one id"


def test_a_file_system_is_kept_with_its_data(usual):
    made = usual.one("gcp:lustre/instance:Instance")
    assert (made.protect, made.retain) == (True, True)
    thrown = record(lambda: make(retain=False, **LINKED))
    assert not [each.urn for each in thrown.resources if each.protect]
    assert not thrown.one("gcp:lustre/instance:Instance").retain


def test_a_bucket_stays_open_to_the_file_systems_of_other_clusters():
    thrown = record(lambda: make(retain=False, **LINKED))
    assert {each.name for each in thrown.resources if each.retain} == {
        "cfd-scratch-agent",
        "cfd-scratch-agent-reads",
        "cfd-scratch-agent-writes",
    }


def test_the_mount_says_server_and_options(usual):
    kind, mount, server, export, options = usual.outputs["mount"]
    assert (kind, mount, server, export) == ("lustre", "/scratch", UNKNOWN, "lustre")
    assert {"flock", "_netdev"} <= {*options.split(",")}


def test_the_server_is_what_stands_before_at():
    assert server_in("10.1.2.3@tcp:/lustre") == "10.1.2.3"


def test_it_is_made_after_the_connection_that_it_needs():
    def program() -> None:
        vpc = Vpc("cfd", VpcArgs(project=PROJECT, region=REGION, cidr="10.20.0.0/16", services=True, tags=TAGS))
        make(network=vpc.network)

    recording = checked_preview(program)
    assert recording.one("Connection").urn in recording.one("gcp:lustre/instance:Instance").depends_on


def test_roots_users_become_nobody_but_on_trusted_nodes():
    rules = record(lambda: make(root_squash="root_only", trusted=("10.20.0.2",)))
    assert rules.one("gcp:lustre/instance:Instance").inputs["accessRulesOptions"] == {
        "defaultSquashMode": "ROOT_SQUASH",
        "defaultSquashUid": 65534,
        "defaultSquashGid": 65534,
        "accessRules": [{"name": "trusted", "ipAddressRanges": ["10.20.0.2"], "squashMode": "NO_SQUASH"}],
    }


def test_googles_agent_copies_and_the_head_node_asks_for_it(linked):
    assert bound(linked) == {
        ("wing-raw", "roles/storage.objectViewer"),
        ("wing-results", "roles/storage.objectUser"),
    }
    agent = linked.one("ServiceIdentity")
    assert agent.inputs == {"project": PROJECT, "service": "lustre.googleapis.com"}
    for each in linked.all("BucketIAMMember"):
        assert each.property_dependencies["member"] == (agent.urn,)
        assert each.retain, "without it, exports of file systems that stay would end"
    role, member = linked.one("IAMCustomRole"), linked.one("gcp:projects/iAMMember:IAMMember")
    assert role.inputs["permissions"] == sorted(TRANSFER)
    assert role.inputs["roleId"] == "cfd_scratch_transfer"
    assert member.inputs["member"] == f"serviceAccount:{OWN.email}"
    assert (role.urn,) == member.property_dependencies["role"]


def test_import_and_export_of_one_bucket_have_one_binding():
    """Of two equal bindings, deleting one would remove the other."""
    recording = record(lambda: make(import_from="gs://wing/in", export_to="gs://wing/out"))
    assert bound(recording) == {("wing", "roles/storage.objectUser")}
    assert not recording.all("IAMCustomRole"), "nobody asks for copies"


def test_no_permissions_without_a_link_and_none_for_an_account_of_the_users(usual):
    assert {each.type for each in usual.resources if each.custom} == {"gcp:lustre/instance:Instance"}
    theirs = record(lambda: make(**{**LINKED, "copied_by": Identity(email="x@y.example", is_ours=False)}))
    assert not theirs.all("IAMCustomRole")
    assert not theirs.all("gcp:projects/iAMMember:IAMMember")


def test_the_users_own_key_encrypts_the_file_system():
    assert record(lambda: make(kms_key=KEY)).one("gcp:lustre/instance:Instance").inputs["kmsKey"] == KEY


def test_a_largest_capacity_that_is_not_sure_is_no_reason_to_refuse():
    made = record(lambda: make(throughput=125, capacity_gib=20_448_000)).one("gcp:lustre/instance:Instance")
    assert made.inputs["capacityGib"] == "20448000"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"capacity_gib": 10000},
            "capacity_gib = 10000: Managed Lustre with 1000 MB/s per TiB is sold in multiples of 9,000 GiB, "
            "and 10,000 GiB is not a multiple; use 18000; or use 9000",
        ),
        (
            {"capacity_gib": 10_080_000},
            "capacity_gib = 10080000: Managed Lustre with 1000 MB/s per TiB supports at most 10,008,000 GiB, "
            "not 10,080,000; use 10008000; or use several file systems",
        ),
        ({"throughput": 40}, "throughput: no tier provides 40 MB/s per TiB; use one of 125, 250, 500, 1000"),
        ({"zone": REGION}, "zone: 'us-central1' is not a zone; use one such as us-central1-a"),
        ({"kms_key": "mine"}, "kms_key: 'mine' is not the id of a key"),
        (
            {"kms_key": KEY.replace("us-central1", "europe-west4")},
            "kms_key: a key in europe-west4 can't be used in us-",
        ),
        ({"root_squash": "all"}, "root_squash: 'all' is not a valid value; use one of none, root_only"),
        ({"trusted": ("10.20.0.2",)}, "trusted: without root_squash, all nodes are trusted"),
        ({"import_from": "s3://wing"}, "import_from: 's3://wing' is not a Cloud Storage URL"),
        ({"export_to": "wing-results"}, "export_to: 'wing-results' is not a Cloud Storage URL"),
    ],
)
def test_arguments_that_google_refuses_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=r"^LustreFilesystemArgs\.") as error:
        args(**change)
    assert message in str(error.value)
