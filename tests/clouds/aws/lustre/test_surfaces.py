"""One refusal has the same reason in a description, in the arguments of the component, and in recorded inputs."""

from typing import Any

import pytest

from clouds.aws.lustre.test_component import args
from hpc_components.aws.lustre.offer import LIMITS
from hpc_components.aws.lustre.plan import LUSTRE, READER
from hpc_components.aws.lustre_links.offer import LIMITS as LINK_LIMITS
from hpc_components.preview.resources import UNKNOWN
from hpc_components.spec.input_rules import FaultKind
from hpc_components.spec.rule import find_rule
from tests.spec.rules.judged import problems


def faults(inputs: dict[str, Any]):
    """Return the problems that the offer finds in recorded inputs."""
    (check,) = READER.inputs().relations[LUSTRE]
    return list(check(inputs))


PERSISTENT = {"deployment": "persistent_2", "throughput": 250}
RECORDED = {"deploymentType": "PERSISTENT_2", "perUnitStorageThroughput": 250, "storageCapacity": 2400}


@pytest.mark.parametrize(
    ("id", "lustre", "arguments", "inputs", "kind"),
    [
        ("002", {"size": "3000GiB"}, {"capacity_gib": 3000}, {"storageCapacity": 3000}, FaultKind.CONFLICTING),
        ("003", {"throughput": 200}, {"throughput": 200}, {"perUnitStorageThroughput": 200}, FaultKind.CONFLICTING),
        (
            "010", {"backups": "91d"}, {"backup_days": 91}, {"automaticBackupRetentionDays": 91},
            FaultKind.OUT_OF_RANGE,
        ),
    ],
)  # fmt: skip
def test_refusal_has_one_reason_on_three_surfaces(id, lustre, arguments, inputs, kind):
    described = {"type": "lustre", "mount": "/fsx", "size": "2400GiB"} | PERSISTENT | lustre
    (problem,) = problems(f"HPC-FSX-{id}", storage={"scratch": described})
    with pytest.raises(ValueError, match=r"^LustreFilesystemArgs\.") as raised:
        args(**{**PERSISTENT, "capacity_gib": 2400} | arguments)
    assert f": {problem.reason}; use " in str(raised.value)
    ((path, value),) = inputs.items()
    (fault,) = faults(RECORDED | inputs)
    assert fault.reason == problem.reason
    assert (fault.kind, fault.path, fault.value) == (kind, path, value)


@pytest.mark.parametrize(
    ("inputs", "path", "remedy"),
    [
        ({"storageCapacity": 1300}, "storageCapacity", "1200"),
        ({"deploymentType": "SCRATCH_2", "perUnitStorageThroughput": 200}, "perUnitStorageThroughput", "leave"),
        (
            {
                "deploymentType": "PERSISTENT_1", "storageType": "HDD", "perUnitStorageThroughput": 12,
                "storageCapacity": 1800,
            },
            "storageCapacity", "6000",
        ),
        (
            {"deploymentType": "PERSISTENT_2", "perUnitStorageThroughput": 200, "storageCapacity": 2400},
            "perUnitStorageThroughput", "250",
        ),
    ],
)  # fmt: skip
def test_an_order_that_fsx_refuses_is_found(inputs, path, remedy):
    [fault] = faults(inputs)
    assert (fault.path, fault.value, fault.kind) == (path, inputs[path], FaultKind.CONFLICTING)
    assert remedy in fault.remedy


@pytest.mark.parametrize(
    "inputs",
    [
        {"deploymentType": UNKNOWN, "storageCapacity": 1300},
        {"deploymentType": "PERSISTENT_2", "storageType": "INTELLIGENT_TIERING", "storageCapacity": 1},
        {"deploymentType": "PERSISTENT_2", "storageCapacity": 2400, "perUnitStorageThroughput": UNKNOWN},
        {"backupId": "backup-1"},
        {"automaticBackupRetentionDays": 0},
    ],
)
def test_what_is_not_known_is_not_refused(inputs):
    assert faults(inputs) == []


def test_every_limit_is_a_rule():
    for limit in (*LIMITS, *LINK_LIMITS):
        rule = find_rule(limit.id)
        assert (rule.title, rule.level) == (limit.title, limit.level)
