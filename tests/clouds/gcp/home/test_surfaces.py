"""One refusal has the same reason in a description, in the arguments of the component, and in recorded inputs."""

from typing import Any

import pulumi
import pytest
from seeded_faults import Seeded, faults_of

from clouds.gcp.rules.judged import HOME, problems
from clouds.gcp.sample import NETWORK, PROJECT, REGION, TAGS, ZONE
from hpc_components.gcp.home.component import HomeFilesystemArgs
from hpc_components.gcp.home.offer import LIMITS
from hpc_components.gcp.home.plan import READER
from hpc_components.spec.findings import Change, Problem
from hpc_components.spec.input_rules import FaultKind
from hpc_components.spec.rule import find_rule

INSTANCE = "gcp:filestore/instance:Instance cfd-home"
KEY = f"projects/{PROJECT}/locations/{REGION}/keyRings/hpc/cryptoKeys/home"


def found(id: str, **home: Any) -> Problem:
    """Return the finding of a limit in a description."""
    described = {key: value for key, value in (HOME | home).items() if value is not None}
    (problem,) = problems(id, storage={"home": described})
    return problem


def error(**change: Any) -> str:
    """Return the error of the component's arguments."""
    usual = {"mount": "/home", "capacity_gib": 1024, "location": ZONE, "network": NETWORK, "tags": TAGS}
    with pytest.raises(ValueError, match=r"^HomeFilesystemArgs\.") as raised:
        HomeFilesystemArgs(**{"project": PROJECT} | usual | change)
    return str(raised.value)


@pytest.mark.parametrize(
    ("id", "home", "arguments", "inputs"),
    [
        ("HPC-GFS-002", {"size": "1100GiB"}, {"capacity_gib": 1100}, {"fileShares.capacityGb": 1100}),
        ("HPC-GFS-002", {"size": "512GiB"}, {"capacity_gib": 512}, {"fileShares.capacityGb": 512}),
        (
            "HPC-GFS-002", {"size": "99GiB", "tier": "regional"},
            {"capacity_gib": 99, "tier": "regional", "location": REGION},
            {"fileShares.capacityGb": 99, "tier": "REGIONAL", "location": REGION},
        ),
        (
            "HPC-GFS-003", {"tier": "regional", "zone": ZONE}, {"tier": "regional", "location": ZONE},
            {"location": ZONE, "tier": "REGIONAL"},
        ),
        (
            "HPC-GFS-004", {"tier": "basic_hdd", "kms_key": KEY}, {"tier": "basic_hdd", "kms_key": KEY},
            {"kmsKeyName": KEY, "tier": "BASIC_HDD", "deletionProtectionEnabled": False},
        ),
    ],
)  # fmt: skip
def test_refusal_has_one_reason_on_three_surfaces(id, home, arguments, inputs):
    problem, message, path = found(id, **home), error(**arguments), next(iter(inputs))
    (fault,) = faults_of(Seeded("gcp-h3", INSTANCE, inputs, path, FaultKind.CONFLICTING))
    assert f": {problem.reason}; " in message
    assert fault.reason == problem.reason
    assert (fault.kind, fault.path) == (FaultKind.CONFLICTING, path)


def test_remedies_are_in_the_notation_of_their_surface():
    size, zone = ("storage", "home", "size"), ("storage", "home", "zone")
    between = found("HPC-GFS-002", size="1100GiB")
    assert (between.remedy, between.fix) == ("use 1280GiB; or use 1024GiB", (Change(size, "1280GiB"),))
    assert error(capacity_gib=1100).endswith("; use 1280; or use 1024")
    small = found("HPC-GFS-002", size="512GiB", zone=ZONE)
    assert small.remedy == "use 1024GiB; or write storage.home.tier: regional and remove storage.home.zone"
    assert error(capacity_gib=512).endswith(f"; use 1024; or use tier='regional' and use location='{REGION}'")
    placed = found("HPC-GFS-003", tier="regional", zone=ZONE)
    assert (placed.path, placed.value, placed.fix) == (zone, ZONE, (Change(zone, None),))
    assert placed.remedy == "leave it out; or write storage.home.tier: zonal"
    assert error(tier="regional").endswith(f"; use '{REGION}'; or use tier='zonal'")
    inputs = {"kmsKeyName": KEY, "tier": "BASIC_HDD", "deletionProtectionEnabled": False}
    (fault,) = faults_of(Seeded("gcp-h3", INSTANCE, inputs, "kmsKeyName", FaultKind.CONFLICTING))
    assert fault.remedy == "write tier: ZONAL; or leave it out"
    inputs = {"location": ZONE, "tier": "REGIONAL"}
    (fault,) = faults_of(Seeded("gcp-h3", INSTANCE, inputs, "location", FaultKind.CONFLICTING))
    assert fault.remedy == f"use {REGION}; or write tier: ZONAL"


def test_missing_size_is_found_at_the_file_system():
    missing = found("HPC-GFS-001", size=None)
    assert missing.path == ("storage", "home")
    assert missing.remedy == "write storage.home.size: 1024GiB; or mount an existing file system"


def test_key_that_is_an_output_is_refused_without_a_value():
    message = error(tier="basic_hdd", kms_key=pulumi.Output.from_input(KEY))
    assert message.startswith(
        "HomeFilesystemArgs.kms_key: Filestore basic_hdd does not support your own encryption key; "
    )


def test_a_doubtful_step_stops_no_component():
    between = found("HPC-GFS-002", size="12000GiB", tier="regional")
    assert str(between.level) == "warning"
    args = {"project": PROJECT, "mount": "/home", "network": NETWORK, "tags": TAGS}
    assert HomeFilesystemArgs(capacity_gib=12_000, tier="regional", location=REGION, **args)


def faults(tier: str, gib: int) -> list[str]:
    (checks,) = READER.inputs().relations.values()
    inputs = {"tier": tier, "fileShares": {"capacityGb": gib}}
    return [fault.path for check in checks for fault in check(inputs)]


@pytest.mark.parametrize(("tier", "gib"), [("REGIONAL", 12_000), ("REGIONAL", 100), ("ZONAL", 12_800)])
def test_a_filestore_in_the_widest_range_is_accepted(tier: str, gib: int) -> None:
    assert faults(tier, gib) == []


@pytest.mark.parametrize(("tier", "gib"), [("REGIONAL", 99), ("REGIONAL", 200_000), ("ZONAL", 12_000)])
def test_a_filestore_that_google_refuses_is_found(tier: str, gib: int) -> None:
    assert faults(tier, gib) == ["fileShares.capacityGb"]


def test_every_limit_is_a_rule():
    for limit in LIMITS:
        rule = find_rule(limit.id)
        assert rule is not None
        assert (rule.title, rule.level) == (limit.title, limit.level)
        assert rule.explanation.endswith(f"{limit.source.rsplit(' ', 1)[-1]}.")
