"""Every key is reported, whether ParallelCluster 3 has it or not."""

import contextlib
import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from clouds.aws.convert.converting import FILES, SMALL, conversion, note, of_file
from hpc_components.aws.convert.keys import known_keys, told_keys
from hpc_components.aws.convert.parallelcluster import NOT_CONVERTED
from hpc_components.convert.notes import Note, Outcome
from hpc_components.convert.stack_file import stack_text
from hpc_components.spec.source import UnreadableError

NUMBERS = (
    "Size", "Iops", "Throughput", "MinCount", "MaxCount", "Count", "SpotPrice", "SchedulableMemory",
    "RetentionInDays", "StorageCapacity", "PerUnitStorageThroughput", "AutomaticBackupRetentionDays",
    "ScaledownIdletime", "ComputeNodeBootstrapTimeout", "NumberOfVolumes",
)  # fmt: skip
VALUES: dict[str, Any] = dict.fromkeys(NUMBERS, 30) | {
    "Region": "us-east-2", "Scheduler": "slurm", "Os": "rocky9", "InstanceType": "c7i.large", "CapacityType": "SPOT",
    "ScalingStrategy": "best-effort", "StorageType": "SSD", "SubnetIds": ["subnet-b"], "SubnetId": "subnet-a",
    "CustomSlurmSettings": {"MaxTime": "1-0"}, "AutoImportPolicy": ["NEW"], "AutoExportPolicy": ["NEW"],
}  # fmt: skip
KINDS = {
    "EbsSettings": "Ebs", "EfsSettings": "Efs", "FsxLustreSettings": "FsxLustre", "FsxOpenZfsSettings": "FsxOpenZfs",
    "FsxOntapSettings": "FsxOntap", "FileCacheSettings": "FileCache",
}  # fmt: skip


def with_key(place: str) -> tuple[str, str]:
    """Return a small file with this key, and the path of the key in it."""
    data = yaml.safe_load(SMALL)
    *around, last = place.split(".")
    owner, path = data, []
    for part in around:
        name = part.removesuffix("[]")
        path.append(f"{name}[0]" if part.endswith("[]") else name)
        below = owner.setdefault(name, [{}] if part.endswith("[]") else {})
        owner = below[0] if part.endswith("[]") else below
        if name == "SharedStorage":
            kind = next((KINDS[each] for each in around if each in KINDS), "Ebs")
            owner |= {"Name": "data", "MountDir": "/data", "StorageType": kind}
    value = VALUES.get(last, "x")
    if place == "SharedStorage[].FsxLustreSettings.AutoImportPolicy":
        owner["ImportPath"], value = "s3://bucket", "NEW"
    if place == "Scheduling.SlurmSettings.CustomSlurmSettings":
        value = [value]
    if place == "SharedStorage[].StorageType":
        value = "Ebs"
    owner[last] = value
    return json.dumps(data), ".".join([*path, last])


@pytest.mark.parametrize("place", known_keys())
def test_a_key_has_a_note_at_its_place(place: str) -> None:
    text, path = with_key(place)
    found = [each for each in conversion(text).notes if each.key.startswith(path)]
    assert found, f"nothing is said of {path}"
    assert [each for each in found if each.reason == NOT_CONVERTED] == []


@pytest.mark.parametrize("place", told_keys())
def test_what_is_left_out_has_a_reason(place: str) -> None:
    text, path = with_key(place)
    found = note(conversion(text), path)
    assert found.outcome in (Outcome.DROPPED, Outcome.DECIDE)
    assert found.reason == told_keys()[place].reason


def leaves(data: Any, path: str = "") -> Iterator[str]:
    """Return the paths of all plain values."""
    below = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, each in below:
        yield from leaves(each, f"{path}[{key}]" if isinstance(key, int) else f"{path}.{key}".lstrip("."))
    if not isinstance(data, dict | list):
        yield path


@pytest.mark.parametrize("name", ["published", "spot", "gpu"])
def test_no_value_of_a_file_is_left_out_without_a_note(name: str) -> None:
    found = of_file(name)
    told = tuple(each.key for each in found.notes)
    data = yaml.safe_load((FILES / f"{name}.yaml").read_text(encoding="utf-8"))
    unheard = [
        path
        for path in leaves(data)
        if not any(path == key or path.startswith((f"{key}.", f"{key}[")) for key in told)
    ]
    assert unheard == []
    assert [each for each in found.notes if each.reason == NOT_CONVERTED] == []


def places(data: Any) -> Iterator[tuple[Any, Any]]:
    """Return every mapping or list with each of its keys."""
    below = list(data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ())
    for key, each in below:
        yield data, key
        yield from places(each)


@pytest.mark.parametrize("odd", [None, "x", 5, -1.5, True, [], {}, [1], {"a": 1}, [[1]], [{}]], ids=str)
def test_values_of_any_form_are_refused_or_noted(odd: Any) -> None:
    data = yaml.safe_load((FILES / "published.yaml").read_text(encoding="utf-8"))
    for around, key in list(places(data)):
        before, around[key] = around[key], odd
        with contextlib.suppress(UnreadableError):
            assert stack_text(conversion(json.dumps(data)))
        around[key] = before


def test_what_is_misplaced_stays_where_its_place_is_taken() -> None:
    text = SMALL.replace("MaxCount: 2", "MaxCount: 2, Efa: {Enabled: false}").replace(
        "- Name: cpu", "- Name: cpu\n      Efa: {}"
    )
    found = of(text, "Scheduling.SlurmQueues[0].Efa")
    assert found.reason == "ParallelCluster 3 has no key Efa in Scheduling.SlurmQueues[0]"


def of(text: str, key: str) -> Note:
    return note(conversion(text), key)


def test_a_misspelt_key_is_not_taken_silently() -> None:
    found = of(SMALL.replace("MaxCount", "MaxCnt"), "Scheduling.SlurmQueues[0].ComputeResources[0].MaxCnt")
    assert found.outcome is Outcome.DECIDE
    assert found.line == 11
    assert "did you mean MaxCount?" in found.remedy


def test_an_unknown_key_is_reported() -> None:
    found = of(SMALL + "Colour: blue\n", "Colour")
    assert (found.outcome, found.line) == (Outcome.DROPPED, 13)
    assert found.reason == "ParallelCluster 3 has no key Colour in the file"


def test_a_key_that_exists_is_not_proposed_twice() -> None:
    found = of(SMALL + "Imagee: {}\n", "Imagee")
    assert "did you mean" not in found.remedy


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("MaxCount: 2", "MaxCount: many", "Scheduling.SlurmQueues[0].ComputeResources[0].MaxCount"),
        ("{SubnetIds: [subnet-of-mine]}", "{SubnetIds: subnet-b}", "Scheduling.SlurmQueues[0].Networking.SubnetIds"),
        ("{SubnetIds: [subnet-of-mine]}", "[a, b]", "Scheduling.SlurmQueues[0].Networking"),
        ("{Os: ubuntu2404}", "{Os: [ubuntu2404]}", "Image.Os"),
    ],
)
def test_a_value_of_another_form_is_to_be_corrected(old: str, new: str, key: str) -> None:
    assert old in SMALL
    found = [each for each in conversion(SMALL.replace(old, new)).notes if each.key.startswith(key)]
    assert Outcome.DECIDE in {each.outcome for each in found}, found


@pytest.mark.parametrize(
    ("value", "outcome"), [("false", Outcome.TAKEN), ("no", Outcome.TAKEN), ("true", Outcome.DROPPED)]
)
def test_what_is_off_needs_no_counterpart(value: str, outcome: Outcome) -> None:
    assert (
        of(SMALL.replace("HeadNode:", f"HeadNode:\n  Dcv: {{Enabled: {value}}}"), "HeadNode.Dcv.Enabled").outcome
        is outcome
    )
