"""The table of changes covers every resource of the plans, and every record is used."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from change_records import unknown_properties
from stack_recordings import recorded, stacks_of

from clouds.azure import test_metrics_workspace as metrics
from clouds.azure.buckets import test_component as buckets
from clouds.azure.fleet import test_component as fleet
from clouds.azure.fleet.test_component import PLAIN
from clouds.azure.head import test_component as head
from clouds.azure.home import test_component as home
from clouds.azure.image_builder import test_component as images
from clouds.azure.login import test_component as login
from clouds.azure.lustre import test_component as lustre
from clouds.azure.sample import GROUP, PRIVATE, TAGS, VNET
from clouds.inputs_tables import arguments_of, leaf
from hpc_components.azure import Cluster
from hpc_components.azure.disks.component import RootDisk, StateDisk
from hpc_components.azure.fleet.component import InfinibandComputeFleet
from hpc_components.azure.fleet.placement_group import PlacementGroup, PlacementGroupArgs
from hpc_components.azure.images.component import ImagePlan
from hpc_components.azure.network.endpoints import PrivateZones
from hpc_components.preview.record import RecordedResource, Recording, record
from hpc_components.products import product_files

Record = dict[str, Any]

TABLES: list[list[Record]] = [
    json.loads(Path(str(file)).read_text("utf-8"))
    for file in (
        files("hpc_components.azure.plan") / "data/changes.json",
        *product_files("hpc_components.azure", "changes.json"),
    )
]
TABLE = [record for table in TABLES for record in table]
KEY = "/subscriptions/1/resourceGroups/keys/providers/Microsoft.Compute/diskEncryptionSets/ours"
SOLD = {
    "image": "center-for-internet-security-inc:cis-ubuntu:cis-l1:1.0.1",
    "image_plan": ImagePlan(publisher="center-for-internet-security-inc", product="cis-ubuntu", name="cis-l1"),
}
"""Make a fleet with an image that has a purchase plan."""
GUARD = f"{GROUP.id}/providers/Microsoft.Network/networkSecurityGroups/ours"

OF_TYPE: dict[str, list[Record]] = {}
for one in TABLE:
    OF_TYPE.setdefault(one["type"], []).append(one)


def _rare() -> None:
    """Make resources that no stack contains."""
    keyed = RootDisk(size_gib=64, encryption_set=KEY)
    together = PlacementGroupArgs(group=GROUP, tags=TAGS, zone="eastus-1", machines=(PLAIN,))
    near = PlacementGroup("near", together)
    PrivateZones("ours", ("blob", "file"), group=GROUP, network_id=VNET, tags=TAGS)
    for name, change in {
        "reserved": {"purchase": "reservation", "reservation_id": fleet.RESERVATION},
        "close": {"proximity_group": near.group_id},
        "named": {"zones": ("eastus",), "availability_set": True, "proximity_group": near.group_id},
    }.items():
        InfinibandComputeFleet(name, fleet.fleet_args(machines=(PLAIN,), root=keyed, **change))
    buckets.make(network=PRIVATE, archive={"cold": 30}, expire_days=400)
    home.made(network=PRIVATE)
    login.make(min=2, max=2, public=True, **SOLD)
    squashed = {"root_squash": "root_only", "trusted": ("10.20.0.20",), "encryption": lustre.KEY}
    lustre.make(link=lustre.link(auto_import=("new",), auto_export=()), **squashed)
    state = StateDisk(size_gib=64, type="PremiumV2_LRS", iops=4000, throughput=200, encryption_set=KEY)
    head.make(public=True, security_group_id=GUARD, state=state, root=keyed, **SOLD)
    Cluster("baked", images.described())
    metrics.program()


@cache
def recording_of(program: str) -> Recording:
    return record(_rare) if program == "rare" else recorded(program)


@dataclass(frozen=True)
class Planned:
    """A resource of a plan, and the records that apply to it."""

    resource: RecordedResource
    name: str
    """Its name without the prefix of its component."""
    properties: Sequence[Record]
    ends: Sequence[Record]

    def says(self, path: str) -> Record | None:
        """The record with the longest path applies to a change of an input, then the one of its component."""
        found = [each for each in self.properties if _holds(each, path) and "when" not in each]
        return max(found, key=_nearness, default=None)


@cache
def planned(program: str) -> Sequence[Planned]:
    """Return all resources of a plan."""
    by_urn = {each.urn: each for each in recording_of(program).resources}
    found = []
    for resource in by_urn.values():
        kinds, name = _around(resource, by_urn), own_name(resource, by_urn)
        here = [
            each for each in OF_TYPE.get(resource.type, ())
            if each.get("within") in kinds and fnmatchcase(name, each.get("name_like", "*"))
        ]  # fmt: skip
        here.sort(key=lambda each: "within" not in each)
        properties, ends = ([each for each in here if each["kind"] == kind] for kind in ("property", "resource"))
        found.append(Planned(resource, name, properties, ends))
    return found


def own_name(resource: RecordedResource, by_urn: Mapping[str, RecordedResource]) -> str:
    """Return the name without the component's prefix, which `name_like` matches."""
    above = by_urn.get(resource.parent or "")
    return resource.name.removeprefix(above.name).lstrip("-/") if above else resource.name


def _around(resource: RecordedResource, by_urn: Mapping[str, RecordedResource]) -> set[str | None]:
    """Return the types of the components around a resource, and None, which matches anywhere."""
    kinds: set[str | None] = {None}
    while resource.parent in by_urn:
        resource = by_urn[resource.parent]
        kinds.add(resource.type.rpartition(":")[2])
    return kinds


def _nearness(record: Record) -> tuple[int, bool]:
    return len(record["property"].strip("*")), "within" in record


def _holds(record: Record, path: str) -> bool:
    """Return whether a record is for an input, for its parent, or for all others."""
    return record["property"] in {"*", path} or path.startswith(f"{record['property']}.")


def paths(value: Any, at: str = "") -> Iterator[str]:
    """Yield the paths of all inputs, without indices."""
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from paths(inner, f"{at}.{name}" if at else name)
    elif isinstance(value, list) and value:
        for inner in value:
            yield from paths(inner, at)
    elif at:
        yield at


PROGRAMS = pytest.mark.parametrize("program", [*stacks_of("azure"), "rare"])


@PROGRAMS
def test_every_input_has_a_record(program: str) -> None:
    without = {
        f"{each.resource.type}.{path}"
        for each in planned(program)
        for path in set(paths(each.resource.inputs))
        if each.says(path) is None
    }
    assert not without


@PROGRAMS
def test_the_end_of_every_resource_has_a_record(program: str) -> None:
    assert not {each.resource.type for each in planned(program) if "delete" not in {end["op"] for end in each.ends}}


@PROGRAMS
def test_what_a_component_has_replaced_or_ignored_is_known_as_that(program: str) -> None:
    for each in planned(program):
        ignored, replaced = each.resource.ignore_changes, each.resource.replace_on_changes
        for path in ignored:
            said = each.says(path)
            assert said, path
            assert (said["action"], said["effect"]) == ("update", "live"), f"{each.resource.type}.{path}"
            assert said["words"].startswith("Pulumi ignores it"), f"{each.resource.type}.{path}"
        for path in set(paths(each.resource.inputs)) - set(ignored):
            if any(wanted in {"*", path} or path.startswith(f"{wanted}.") for wanted in replaced):
                said = each.says(path)
                assert said, path
                assert said["action"] == "replace", f"{each.resource.type}.{path}"


WITHOUT_DATA = {"azure-native:netapp:SnapshotPolicy"}
"""Make a private network for existing subnets."""


@PROGRAMS
def test_the_end_of_what_is_protected_loses_data(program: str) -> None:
    for each in planned(program):
        if each.resource.protect and each.resource.custom and each.resource.type not in WITHOUT_DATA:
            first = next(end for end in each.ends if end["op"] == "delete")
            assert first["effect"] == "data_lost", each.resource.type
            assert first["remedy"]


AZURES = [each for each in TABLE if each["type"].startswith("azure-native:")]


@pytest.mark.parametrize("token", sorted({each["type"] for each in AZURES}))
def test_every_path_is_a_property_of_the_sdk(token: str) -> None:
    """A misspelt property would never match."""
    for each in AZURES:
        if each["type"] == token and each["kind"] == "property" and each["property"] != "*":
            assert leaf(arguments_of(token), each["property"]), each["property"]


def test_what_a_record_is_for_is_there() -> None:
    every = [each for program in (*stacks_of("azure"), "rare") for each in planned(program)]
    used = {id(record) for each in every for record in (*each.properties, *each.ends)}
    assert not [each for each in TABLE if id(each) not in used and each["kind"] != "kept"]


def test_what_is_kept_when_it_is_removed_is_an_input() -> None:
    kept = [each for each in TABLE if each["kind"] == "kept"]
    assert list(unknown_properties(kept)) == []
    assert {each["type"] for each in kept} <= {
        each.resource.type for program in (*stacks_of("azure"), "rare") for each in planned(program)
    }


def test_records_are_in_order_and_no_two_are_for_the_same() -> None:
    fields = ("type", "within", "property", "op", "when", "name_like")
    places = [tuple(each.get(field, "") for field in fields) for each in TABLE]
    assert len(places) == len(set(places))
    for table in TABLES:
        places = [tuple(each.get(field, "") for field in fields) for each in table]
        order = [(kind, within, name or op, *rest) for kind, within, name, op, *rest in places]
        assert order == sorted(order)
