from typing import Any

import pulumi
import pytest
from both_modes import in_both_modes
from hypothesis import given
from hypothesis import strategies as st

from clouds.aws.lustre.steps import lustre_steps
from clouds.aws.sample import TAGS
from hpc_components.aws.lustre.capacities import lustre_throughputs
from hpc_components.aws.lustre.component import LustreFilesystem, LustreFilesystemArgs
from hpc_components.aws.lustre_links.component import LustreAssociation
from hpc_components.preview.record import UNKNOWN, Recording, record

PERSISTENT: dict[str, Any] = {"deployment": "persistent_2", "throughput": 250}


def args(**change: Any) -> LustreFilesystemArgs:
    usual: dict[str, Any] = {
        "mount": "/fsx",
        "capacity_gib": 1200,
        "subnet_id": "subnet-2",
        "security_group_ids": ("sg-fs",),
        "tags": TAGS,
    }
    return LustreFilesystemArgs(**{**usual, **change})


def recorded(**change: Any) -> Recording:
    def program() -> None:
        made = LustreFilesystem("scratch", args(**change))
        pulumi.export("mount", {"server": made.mount.server, "export": made.mount.export})

    update, _ = in_both_modes(program)
    return update


def test_the_reference_scratch_is_ordered_as_described() -> None:
    link = LustreAssociation(bucket="s3://my-hpc-data-bucket")
    recording = recorded(associations=(link,))
    assert [each.type for each in recording.resources] == [
        "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation",
        "aws:fsx/lustreFileSystem:LustreFileSystem",
        "hpc:aws:LustreFilesystem",
    ]
    file_system = recording.one("LustreFileSystem")
    assert file_system.inputs == {
        "dataCompressionType": "LZ4",
        "deploymentType": "SCRATCH_2",
        "fileSystemTypeVersion": "2.15",
        "securityGroupIds": ["sg-fs"],
        "storageCapacity": 1200,
        "storageType": "SSD",
        "subnetIds": "subnet-2",
        "tags": {"ClusterName": "cfd", "Name": "scratch", "Project": "wing"},
    }
    association = recording.one("DataRepositoryAssociation", "scratch:/")
    assert association.inputs["dataRepositoryPath"] == "s3://my-hpc-data-bucket"
    assert association.inputs["fileSystemPath"] == "/"
    assert association.inputs["batchImportMetaDataOnCreate"] is True
    assert association.inputs["s3"] == {
        "autoImportPolicy": {"events": ["NEW", "CHANGED", "DELETED"]},
        "autoExportPolicy": {"events": ["NEW", "CHANGED"]},
    }
    assert association.inputs["tags"]["ClusterName"] == "cfd"
    assert association.depends_on == (file_system.urn,)


def test_nothing_of_the_old_way_to_link_buckets() -> None:
    recording = recorded(associations=(LustreAssociation(bucket="s3://abc"),))
    assert not {"importPath", "exportPath", "autoImportPolicy"} & set(recording.one("LustreFileSystem").inputs)


def test_a_link_may_go_one_way() -> None:
    read_only = LustreAssociation(path="/in", bucket="s3://raw", auto_export=())
    recording = recorded(
        associations=(read_only, LustreAssociation(path="/out", bucket="s3://results", auto_import=()))
    )
    assert set(recording.one("DataRepositoryAssociation", "scratch:/in").inputs["s3"]) == {"autoImportPolicy"}
    assert set(recording.one("DataRepositoryAssociation", "scratch:/out").inputs["s3"]) == {"autoExportPolicy"}


def test_a_file_system_is_kept_with_its_data() -> None:
    recording = recorded(associations=(LustreAssociation(bucket="s3://abc"),))
    file_system = recording.one("LustreFileSystem")
    association = recording.one("DataRepositoryAssociation")
    assert (file_system.protect, file_system.retain) == (True, True)
    assert (association.protect, association.retain) == (False, False)
    assert association.deleted_with == file_system.urn
    thrown = recorded(associations=(LustreAssociation(bucket="s3://abc"),), retain=False)
    assert thrown.one("DataRepositoryAssociation").deleted_with is None


def test_the_users_options_decide_on_protection() -> None:
    thrown = recorded(retain=False).one("LustreFileSystem")
    assert (thrown.protect, thrown.retain) == (False, False)
    options = pulumi.ResourceOptions(protect=False)
    said = record(lambda: LustreFilesystem("scratch", args(), options)).one("LustreFileSystem")
    assert (said.protect, said.retain) == (False, True)


def test_efa_has_a_metadata_configuration() -> None:
    fast = recorded(**PERSISTENT, capacity_gib=19200, efa=True).one("LustreFileSystem").inputs
    assert fast["efaEnabled"] is True
    assert fast["metadataConfiguration"] == {"mode": "AUTOMATIC"}
    many = recorded(**PERSISTENT, metadata_iops=12000).one("LustreFileSystem").inputs
    assert many["metadataConfiguration"] == {"mode": "USER_PROVISIONED", "iops": 12000}
    assert "efaEnabled" not in many


def test_a_persistent_file_system_has_backups_and_a_key() -> None:
    inputs = recorded(**PERSISTENT, backup_days=7, kms_key="arn:aws:kms:key").one("LustreFileSystem").inputs
    assert inputs["perUnitStorageThroughput"] == 250
    assert inputs["automaticBackupRetentionDays"] == 7
    assert inputs["copyTagsToBackups"] is True
    assert inputs["kmsKeyId"] == "arn:aws:kms:key"
    disks: dict[str, Any] = {"deployment": "persistent_1", "storage": "hdd", "throughput": 12, "drive_cache": "read"}
    assert recorded(**disks, capacity_gib=6000).one("LustreFileSystem").inputs["driveCacheType"] == "READ"


def test_the_mount_says_server_and_options() -> None:
    made: list[LustreFilesystem] = []
    preview = record(lambda: made.append(LustreFilesystem("scratch", args())), preview=True)
    mount = made[0].mount
    assert (mount.name, mount.type, mount.mount) == ("scratch", "lustre", "/fsx")
    assert {"noatime", "flock", "_netdev"} <= set(mount.options.split(","))
    assert preview.resources
    exported = recorded().outputs["mount"]
    assert exported["server"] != exported["export"]


def test_unknown_values_stay_single() -> None:
    def program() -> None:
        bucket = LustreAssociation(bucket=pulumi.Output.concat("s3://", "data"))
        LustreFilesystem("scratch", args(associations=(bucket,)))

    recording = record(program, preview=True)
    inputs = recording.one("DataRepositoryAssociation").inputs
    assert inputs["fileSystemId"] == UNKNOWN
    assert inputs["dataRepositoryPath"] == "s3://data"


LINK = LustreAssociation(bucket="s3://abc")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"deployment": "scratch_3"},
            "deployment = 'scratch_3': FSx for Lustre offers only the deployment types scratch_1, ",
        ),
        ({"capacity_gib": 3000}, "multiples of 2400 GiB, not of 3000 GiB; use 4800; or use 2400"),
        ({"throughput": 125}, "throughput = 125: scratch_2 always has 200 MB/s per TiB; leave it out"),
        ({"deployment": "persistent_2"}, "must be ordered with 125, 250, 500 or 1000 MB/s per TiB"),
        (
            {**PERSISTENT, "throughput": 200},
            "throughput = 200: persistent_2 on ssd is available only with 125, 250, 500 or 1000 MB/s",
        ),
        ({"storage": "hdd", "drive_cache": "none"}, "storage = 'hdd': scratch_2 is available only with SSDs"),
        (
            {"drive_cache": "read"},
            "drive_cache = 'read': an SSD read cache is available only for hard disks; leave it out",
        ),
        ({"efa": True}, "efa = True: scratch_2 does not support EFA; leave it out; or use persistent_2"),
        ({**PERSISTENT, "efa": True}, "use 19200"),
        (
            {"kms_key": "arn:..."},
            "kms_key = 'arn:...': FSx encrypts scratch_2 only with its own key; leave it out",
        ),
        ({"backup_days": 7}, "backup_days = 7: scratch_2 can't be backed up; leave it out"),
        (
            {"metadata_iops": 12000},
            "metadata_iops = 12000: the metadata performance of scratch_2 can't be chosen; the file system's "
            "size determines it",
        ),
        ({**PERSISTENT, "metadata_iops": 18000}, "metadata_iops = 18000: FSx sells 1500, 3000, 6000 and multiples"),
        (
            {**PERSISTENT, "backup_days": 91},
            "backup_days = 91: FSx keeps daily backups for 1 to 90 whole days; use 90",
        ),
        (
            {**PERSISTENT, "backup_days": 7, "associations": (LINK,)},
            "FSx can't back up a file system that is linked",
        ),
        (
            {"deployment": "scratch_1", "associations": (LINK,)},
            "deployment = 'scratch_1': scratch_1 can't be linked to buckets; use 'scratch_2'",
        ),
        ({"associations": (LINK,) * 9}, "associations: the file system has 9 links, but FSx allows at most 8"),
        (
            {"associations": (LustreAssociation(path="in", bucket="s3://abc"),)},
            "[0].path: 'in' is not a valid directory path in the file system; use '/in'",
        ),
        (
            {"associations": (LustreAssociation(path="/a b", bucket="s3://abc"),)},
            "[0].path: '/a b' is not a valid directory path in the file system; use '/a-b'",
        ),
        (
            {"associations": (LustreAssociation(bucket="my-bucket"),)},
            "[0].bucket: 'my-bucket' does not have the form s3://",
        ),
        (
            {"associations": (LINK, LustreAssociation(path="/in", bucket="s3://def"))},
            "associations[1].path: /in overlaps /, which is linked to s3://abc",
        ),
        (
            {"associations": (LustreAssociation(bucket="s3://abc", auto_import=("created",)),)},  # ty: ignore
            "associations[0]: 'created' is not a kind of change; use any of new, changed, deleted",
        ),
    ],
)
def test_arguments_that_fsx_refuses_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=r"^LustreFilesystemArgs\.") as error:
        args(**change)
    assert message in str(error.value)


@given(gib=st.integers(1, 200_000), throughput=st.sampled_from(lustre_throughputs("persistent_2")), efa=st.booleans())
def test_capacity_is_what_the_catalogue_sells(gib: int, throughput: int, efa: bool) -> None:
    steps = lustre_steps("persistent_2", throughput, efa)
    assert steps
    change: dict[str, Any] = {"deployment": "persistent_2", "throughput": throughput, "efa": efa, "capacity_gib": gib}
    if steps.allows(gib):
        assert args(**change).capacity_gib == gib
    else:
        with pytest.raises(ValueError, match="capacity_gib"):
            args(**change)
