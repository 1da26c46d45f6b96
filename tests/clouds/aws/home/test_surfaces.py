"""One refusal has the same reason in a description, in the arguments of the component, and in recorded inputs."""

from typing import Any

import pytest
from seeded_faults import Seeded, faults_of

from clouds.aws.sample import TAGS
from hpc_components.aws.home.component import HomeFilesystemArgs
from hpc_components.aws.home.offer import LIMITS
from hpc_components.aws.home.plan import READER
from hpc_components.preview.resources import UNKNOWN
from hpc_components.spec.findings import Change
from hpc_components.spec.input_rules import FaultKind
from hpc_components.spec.rule import find_rule
from tests.spec.rules.judged import existing, problems, queue

HOME = "OpenZfsFileSystem cfd-home"
EFS, OPENZFS = "aws:efs/fileSystem:FileSystem", "aws:fsx/openZfsFileSystem:OpenZfsFileSystem"
MULTI_AZ = {"deployment": "multi_az_1", "throughput": 160}


def found(id: str, home: dict[str, Any], **cluster: Any):
    """The problem of a limit in a description."""
    storage = {"home": {"type": "nfs", "mount": "/home", "size": "1TiB"} | home}
    (problem,) = problems(id, storage=storage, **cluster)
    return problem


def error(**change: Any) -> str:
    """Return the error of the component's arguments."""
    usual: dict[str, Any] = {
        "mount": "/home",
        "capacity_gib": 1024,
        "clients": "10.20.0.0/16",
        "subnets": {"use2-az2": "subnet-2"},
        "security_group_ids": ("sg-fs",),
        "tags": TAGS,
    }
    with pytest.raises(ValueError, match=r"^HomeFilesystemArgs\.") as raised:
        HomeFilesystemArgs(**usual | change)
    return str(raised.value)


@pytest.mark.parametrize(
    ("id", "home", "arguments", "inputs", "kind"),
    [
        ("002", {"size": "600TiB"}, {"capacity_gib": 614400}, {"storageCapacity": 614400}, FaultKind.CONFLICTING),
        ("003", {"throughput": 100}, {"throughput": 100}, {"throughputCapacity": 100}, FaultKind.CONFLICTING),
        (
            "004", {"backups": "91d"}, {"backup_days": 91}, {"automaticBackupRetentionDays": 91},
            FaultKind.OUT_OF_RANGE,
        ),
    ],
)  # fmt: skip
def test_refusal_has_one_reason_on_three_surfaces(id, home, arguments, inputs, kind):
    problem, message = found(f"HPC-NFS-{id}", home), error(**arguments)
    ((path, value),) = inputs.items()
    (fault,) = faults_of(Seeded("aws-cfd", HOME, inputs, path, kind))
    assert f": {problem.reason}; use " in message
    assert fault.reason == problem.reason
    assert (fault.kind, fault.path, fault.value) == (kind, path, value)


@pytest.mark.parametrize(
    ("id", "home", "cluster", "arguments"),
    [
        ("005", MULTI_AZ, {}, MULTI_AZ | {"route_table_ids": ("rtb-1",)}),
        (
            "011", MULTI_AZ, {"network": existing(), "queues": [queue(zones=["use2-az1"])]},
            MULTI_AZ | {"subnets": {"use2-az1": "s", "use2-az2": "t"}},
        ),
        (
            "013", {"deployment": "single_az_2", "throughput": 320},
            {"region": "ap-northeast-3", "zone": "apne3-az1"},
            {"deployment": "single_az_2", "throughput": 320, "subnets": {"apne3-az1": "s"}},
        ),
    ],
)  # fmt: skip
def test_description_and_arguments_have_one_reason(id, home, cluster, arguments):
    assert f": {found(f'HPC-NFS-{id}', home, **cluster).reason}; " in error(**arguments)


def test_remedies_are_in_the_notation_of_their_surface():
    small, path = found("HPC-NFS-002", {"size": "50GiB"}), ("storage", "home", "size")
    assert (small.value, small.remedy, small.fix) == ("50GiB", "use 64GiB", (Change(path, "64GiB"),))
    assert found("HPC-NFS-002", {"size": "600TiB"}).remedy == "use 512TiB"
    assert error(capacity_gib=50).endswith("; use 64")
    fault = Seeded("aws-cfd", HOME, {"storageCapacity": 614_400}, "storageCapacity", FaultKind.CONFLICTING)
    assert [each.remedy for each in faults_of(fault)] == ["use 524288"]


def test_advice_names_fields_as_their_surface_does():
    assert found("HPC-NFS-005", MULTI_AZ).remedy.startswith(
        "specify a second zone in queues[0].zones; or use single_"
    )
    assert "; specify a second zone in subnets; or use deployment='single_az_1'" in error(**MULTI_AZ)


def test_outputs_are_not_shown():
    assert "subnets: single_az_1" in error(subnets={"use2-az1": "s", "use2-az2": "t"})


@pytest.mark.parametrize(
    "inputs",
    [
        {"deploymentType": UNKNOWN, "throughputCapacity": 64},
        {"backupId": "backup-1", "deploymentType": "SINGLE_AZ_1"},
        {"automaticBackupRetentionDays": 0, "deploymentType": "SINGLE_AZ_1"},
    ],
)
def test_what_is_not_known_is_not_refused(inputs):
    (check,) = READER.inputs().relations[OPENZFS]
    assert list(check(inputs)) == []


@pytest.mark.parametrize(
    ("inputs", "path", "value", "remedy"),
    [
        ({"deploymentType": "SINGLE_AZ_2", "throughputCapacity": 64}, "throughputCapacity", 64, "160"),
        ({"deploymentType": "SINGLE_AZ_1", "storageCapacity": 32}, "storageCapacity", 32, "64"),
        ({"deploymentType": UNKNOWN, "storageCapacity": 32}, "storageCapacity", 32, "64"),
    ],
)
def test_an_order_that_aws_refuses_is_found(inputs, path, value, remedy):
    (check,) = READER.inputs().relations[OPENZFS]
    [complaint] = check(inputs)
    assert (complaint.path, complaint.value, complaint.kind) == (path, value, FaultKind.CONFLICTING)
    assert remedy in complaint.remedy


def test_deployment_types_are_those_of_the_offer():
    fault = Seeded("aws-cfd", HOME, {"deploymentType": "SINGLE_AZ_9"}, "deploymentType", FaultKind.NOT_ALLOWED)
    assert [(each.path, each.kind) for each in faults_of(fault)] == [("deploymentType", FaultKind.NOT_ALLOWED)]


@pytest.mark.parametrize(
    ("inputs", "kind"),
    [
        ({"throughputMode": "provisioned"}, FaultKind.MISSING),
        ({"throughputMode": "elastic", "provisionedThroughputInMibps": 100}, FaultKind.CONFLICTING),
        ({"provisionedThroughputInMibps": 100}, FaultKind.CONFLICTING),
        ({"throughputMode": "provisioned", "provisionedThroughputInMibps": 100}, None),
        ({"throughputMode": "elastic"}, None),
    ],
)
def test_provisioned_throughput_of_efs_goes_with_its_mode(inputs, kind):
    (check,) = READER.inputs().relations[EFS]
    assert [(each.path, each.kind) for each in check(inputs)] == (
        [("provisionedThroughputInMibps", kind)] if kind else []
    )


def test_every_limit_is_a_rule():
    for limit in LIMITS:
        rule = find_rule(limit.id)
        assert rule is not None
        assert (rule.title, rule.level) == (limit.title, limit.level)
