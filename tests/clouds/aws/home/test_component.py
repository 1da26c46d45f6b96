from typing import Any

import pulumi
import pytest
from both_modes import in_both_modes

from clouds.aws.sample import TAGS
from hpc_components.aws.home.component import HomeFilesystem, HomeFilesystemArgs
from hpc_components.preview.record import UNKNOWN, Recording, record

EFS: dict[str, Any] = {
    "kind": "efs",
    "capacity_gib": None,
    "subnets": {"use2-az1": "subnet-1", "use2-az2": "subnet-2"},
}
MULTI_AZ: dict[str, Any] = {
    "deployment": "multi_az_1",
    "subnets": {"use2-az2": "subnet-2", "use2-az1": "subnet-1"},
    "route_table_ids": ("rtb-1", "rtb-2"),
}


def args(**change: Any) -> HomeFilesystemArgs:
    usual: dict[str, Any] = {
        "mount": "/home",
        "capacity_gib": 1024,
        "clients": "10.20.0.0/16",
        "subnets": {"use2-az2": "subnet-2"},
        "security_group_ids": ("sg-fs",),
        "tags": TAGS,
    }
    return HomeFilesystemArgs(**{**usual, **change})


def recorded(made: list[HomeFilesystem] | None = None, **change: Any) -> Recording:
    there = [] if made is None else made
    _, preview = in_both_modes(lambda: there.append(HomeFilesystem("home", args(**change))))
    return preview


def test_an_openzfs_home_is_ordered_as_described() -> None:
    file_system = recorded(backup_days=7).one("aws:fsx/openZfsFileSystem:OpenZfsFileSystem", "home")
    assert file_system.inputs == {
        "automaticBackupRetentionDays": 7,
        "copyTagsToBackups": True,
        "copyTagsToVolumes": True,
        "deploymentType": "SINGLE_AZ_1",
        "rootVolumeConfiguration": {
            "dataCompressionType": "LZ4",
            "nfsExports": {
                "clientConfigurations": [
                    {"clients": "10.20.0.0/16", "options": ["rw", "crossmnt", "no_root_squash"]},
                ]
            },
        },
        "securityGroupIds": ["sg-fs"],
        "skipFinalBackup": False,
        "storageCapacity": 1024,
        "subnetIds": ["subnet-2"],
        "tags": {"ClusterName": "cfd", "Name": "home", "Project": "wing"},
        "throughputCapacity": 128,
    }
    assert (file_system.protect, file_system.retain) == (True, True)


def test_openzfs_in_two_zones_has_both_subnets() -> None:
    inputs = recorded(**MULTI_AZ).one("OpenZfsFileSystem").inputs
    assert inputs["subnetIds"] == ["subnet-2", "subnet-1"]
    assert inputs["preferredSubnetId"] == "subnet-2"
    assert inputs["routeTableIds"] == ["rtb-1", "rtb-2"]
    assert inputs["throughputCapacity"] == 160


def test_a_home_to_throw_away_is_not_protected() -> None:
    file_system = recorded(retain=False).one("OpenZfsFileSystem")
    assert (file_system.protect, file_system.retain) == (False, False)
    assert file_system.inputs["skipFinalBackup"] is True
    assert file_system.inputs["deleteOptions"] == ["DELETE_CHILD_VOLUMES_AND_SNAPSHOTS"]


def test_an_efs_home_has_a_target_in_each_zone() -> None:
    recording = recorded(**EFS)
    file_system = recording.one("aws:efs/fileSystem:FileSystem", "home")
    assert file_system.inputs == {
        "encrypted": True,
        "tags": {"ClusterName": "cfd", "Name": "home", "Project": "wing"},
        "throughputMode": "elastic",
    }
    assert (file_system.protect, file_system.retain) == (True, True)
    targets = {each.name: each.inputs for each in recording.all("aws:efs/mountTarget:MountTarget")}
    assert targets == {
        f"home-{zone}": {"fileSystemId": UNKNOWN, "securityGroups": ["sg-fs"], "subnetId": subnet}
        for zone, subnet in EFS["subnets"].items()
    }


@pytest.mark.parametrize(("change", "export", "version"), [({}, "/fsx", "4.2"), (EFS, "/", "4.1")])
def test_the_mount_says_export_and_options(change: dict[str, Any], export: str, version: str) -> None:
    made: list[HomeFilesystem] = []
    recorded(made, **change)
    mount = made[0].mount
    assert (mount.name, mount.type, mount.mount, mount.export) == ("home", "nfs", "/home", export)
    assert {f"nfsvers={version}", "hard", "_netdev"} <= set(mount.options.split(","))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "zfs"}, "kind: 'zfs' is unknown; use openzfs or efs"),
        ({"subnets": {}}, "subnets: no subnet is specified; add at least one, keyed by zone id"),
        (
            {"deployment": "single_az_9"},
            "deployment = 'single_az_9': FSx for OpenZFS has no such deployment type; use 'single_az_1'",
        ),
        (
            {"deployment": "single_az_2", "throughput": 160, "subnets": {"apne3-az1": "s"}},
            "deployment = 'single_az_2': FSx for OpenZFS does not offer single_az_2 in ap-northeast-3;"
            " use 'single_az_1' and use throughput=256",
        ),
        (
            {"capacity_gib": None},
            "capacity_gib: no size is specified, and FSx for OpenZFS requires at least 64 GiB; use 1024",
        ),
        ({"capacity_gib": 63}, "capacity_gib = 63: FSx for OpenZFS offers 64 GiB to 512 TiB; use 64"),
        (
            {"throughput": 100},
            "throughput = 100: single_az_1 offers 64, 128, 256, 512, 1024, 2048, 3072, 4096 MB/s, not 100; use 128",
        ),
        (
            {"backup_days": 91},
            "backup_days = 91: FSx keeps daily backups for 1 to 90 whole days; use 90; or turn off backups",
        ),
        (
            {"subnets": {"use2-az1": "s", "use2-az2": "t"}},
            "subnets: single_az_1 requires one zone, not use2-az1, use2-az2; specify a single zone in subnets",
        ),
        (
            {**MULTI_AZ, "subnets": {"use2-az1": "s"}},
            "subnets: multi_az_1 requires two zones, not use2-az1; specify a second zone in subnets",
        ),
        (
            {**MULTI_AZ, "route_table_ids": ()},
            "route_table_ids: FSx must add the floating address of multi_az_1 to",
        ),
        (
            {"route_table_ids": ("rtb-1",)},
            "route_table_ids: single_az_1 has no floating address, so it doesn't use route tables",
        ),
        ({**EFS, "capacity_gib": 1024}, "capacity_gib: efs doesn't support this argument"),
        ({**EFS, "backup_days": 7}, "backup_days: efs doesn't support this argument"),
        (
            {**EFS, "throughput_mode": "fast"},
            "throughput_mode: 'fast' is unknown; use elastic or bursting",
        ),
    ],
)
def test_arguments_that_aws_refuses_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=r"^HomeFilesystemArgs\.") as error:
        args(**change)
    assert message in str(error.value)


def test_key_and_clients_may_come_from_other_resources() -> None:
    def program() -> None:
        key, network = pulumi.Output.from_input("arn:aws:kms:key"), pulumi.Output.from_input("10.30.0.0/16")
        HomeFilesystem("home", args(kms_key=key, clients=network))

    inputs = record(program).one("OpenZfsFileSystem").inputs
    assert inputs["kmsKeyId"] == "arn:aws:kms:key"
    assert "10.30.0.0/16" in str(inputs["rootVolumeConfiguration"])
