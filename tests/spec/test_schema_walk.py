from ipaddress import IPv4Address, IPv4Network
from typing import Any

import pytest
from pydantic import TypeAdapter

from hpc_components.aws.disks.model import AwsDisk as Disk
from hpc_components.aws.fleet.model import AwsQueue as Queue
from hpc_components.aws.fleet.model import CapacityBlock, Purchase, Reservation
from hpc_components.aws.head.model import AwsHeadNode as HeadNode
from hpc_components.aws.home.model import Efs, Nfs
from hpc_components.aws.network.model import AwsNetwork as Network
from hpc_components.aws.spec import Bucket, DataAssociation, Lustre
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.spec.storage import AnyBucket
from hpc_components.aws.spec.storage import AnyFileSystem as FileSystem
from hpc_components.spec.findings import Path
from hpc_components.spec.model import Model
from hpc_components.spec.schema_walk import (
    describe,
    field_docs,
    literals,
    model_at,
    models_in,
    placeholder,
    type_at,
    type_name,
    type_words,
)
from hpc_components.spec.values import Duration, Size

DATA = {
    "storage": {"scratch": {"type": "lustre", "associations": [{}]}, "home": {"type": "efs"}, "odd": {"type": "x"}},
    "queues": [{"purchase": {"reservation": "cr-1"}}, {"purchase": "spot"}],
    "buckets": {"b": {"type": "s3"}},
}


@pytest.mark.parametrize(
    ("path", "model"),
    [
        ((), AwsClusterSpec),
        (("network",), Network),
        (("head_node", "root"), Disk),
        (("queues", 1), Queue),
        (("queues", 0, "purchase"), Reservation),
        (("queues", 1, "purchase"), None),
        (("storage",), None),
        (("storage", "scratch"), Lustre),
        (("storage", "scratch", "associations", 0), DataAssociation),
        (("storage", "home"), Efs),
        (("storage", "odd"), None),
        (("buckets", "b"), Bucket),
        (("name",), None),
        (("nothing", "at", 3), None),
        (("name", "below"), None),
    ],
)
def test_a_path_leads_to_its_model(path: Path, model: type | None) -> None:
    assert model_at(AwsClusterSpec, DATA, path) is model


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (("name",), "text"),
        (("zone",), "text"),
        (("throw_away",), "true or false"),
        (("queues",), "a list"),
        (("queues", 0), "a mapping with name, machine, max"),
        (("queues", 0, "max"), "a whole number"),
        (("queues", 0, "max_spot_price"), "a number"),
        (("queues", 0, "placement"), "one of cluster, partition, spread, none"),
        (("queues", 0, "memory"), "a size like 100GiB"),
        (("queues", 0, "zones", 0), "text"),
        (("queues", 0, "purchase"), "one of on_demand, spot or a mapping with capacity_block or reservation"),
        (("queues", 0, "slurm", "MaxTime"), "text or a whole number or true or false"),
        (("network", "cidr"), "an address range like 10.20.0.0/16"),
        (("head_node", "address"), "an address like 10.20.32.20"),
        (("log_retention",), "a duration like 10m"),
        (("storage",), "a mapping"),
        (("storage", "new"), "a mapping with type: lustre or nfs or efs"),
        (("iam",), "a mapping with permissions_boundary, role_path, kms_keys ..."),
        (("network",), "a mapping with cidr, existing, ssh_from ..."),
    ],
)
def test_a_path_tells_in_words_what_may_stand_there(path: Path, words: str) -> None:
    assert describe(type_at(AwsClusterSpec, DATA, path)) == words


def test_a_union_has_its_words_and_kinds() -> None:
    assert type_words(FileSystem) == ["lustre", "nfs", "efs"]
    assert type_words(AnyBucket) == ["s3", "s3_express"]
    assert type_words(Purchase) == type_words(Disk) == type_words(str) == []
    assert literals(Purchase) == ["on_demand", "spot"]
    assert models_in(FileSystem) == [Lustre, Nfs, Efs]
    assert models_in(Purchase) == [CapacityBlock, Reservation]
    assert models_in(tuple[Queue, ...]) == [Queue]


def required_types() -> list[tuple[str, Any]]:
    seen: set[type[Model]] = set()
    todo: list[type[Model]] = [AwsClusterSpec]
    fields: list[tuple[str, Any]] = []
    while todo:
        model = todo.pop()
        if model in seen:
            continue
        seen.add(model)
        for name, field in model.model_fields.items():
            todo += models_in(field.rebuild_annotation())
            if field.is_required():
                fields.append((f"{model.__name__}.{name}", field.rebuild_annotation()))
    return fields


@pytest.mark.parametrize(("name", "annotation"), required_types(), ids=lambda value: str(value)[:40])
def test_a_placeholder_can_stand_in_or_is_filled_in_turn(name: str, annotation: Any) -> None:
    found = placeholder(annotation)
    if found != {}:
        TypeAdapter(annotation).validate_python(found)
    else:
        assert models_in(annotation), name


@pytest.mark.parametrize(
    ("annotation", "name"),
    [
        (str, "text"),
        (int | None, "number"),
        (bool, "`true` or `false`"),
        (tuple[str, ...], "list of text"),
        (dict[str, Size], "mapping of Size by name"),
        (Duration | None, "Duration"),
        (IPv4Network, "address range"),
        (IPv4Address, "address"),
        (FileSystem, "Lustre or Nfs or Efs"),
        (Purchase, "`on_demand` or `spot` or CapacityBlock or Reservation"),
    ],
)
def test_types_are_named_as_in_the_reference(annotation: Any, name: str) -> None:
    assert type_name(annotation) == name


def test_docstrings_of_fields_are_found_in_base_classes_too() -> None:
    docs = field_docs(AwsClusterSpec)
    assert docs["storage"] == "File systems, keyed by name."
    assert docs["queues"].startswith("Slurm partitions")
    assert field_docs(HeadNode)["machine"] == "Machine type."
