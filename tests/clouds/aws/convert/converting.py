"""Conversions for tests."""

from pathlib import Path

from hpc_components.convert.formats import converted
from hpc_components.convert.notes import Conversion, Note
from hpc_components.convert.stack_file import stack_text
from hpc_components.spec.source import read_yaml
from hpc_components.spec.validate import Judgement, judge

FILES = Path(__file__).parent / "files"

SMALL = """\
Region: us-east-2
Image: {Os: ubuntu2404}
HeadNode:
  InstanceType: m7i.large
  Networking: {SubnetId: subnet-of-mine}
Scheduling:
  Scheduler: slurm
  SlurmQueues:
    - Name: cpu
      ComputeResources:
        - {Name: one, InstanceType: c7i.large, MaxCount: 2}
      Networking: {SubnetIds: [subnet-of-mine]}
"""
"""A file with nothing to decide."""


def conversion(text: str, name: str = "mine") -> Conversion:
    return converted(text, "cluster.yaml", name)


def of_file(name: str) -> Conversion:
    return conversion((FILES / f"{name}.yaml").read_text(encoding="utf-8"), name)


def judged(found: Conversion) -> Judgement:
    """Return the judgement of the stack file that was written."""
    document = read_yaml(stack_text(found), "Pulumi.mine.yaml").below("config", "hpc:cluster")
    assert document.data == found.cluster
    return judge(document)


def notes(found: Conversion, key: str) -> list[Note]:
    """Return the notes on a key, which is written with dots."""
    return [note for note in found.notes if note.key == key]


def note(found: Conversion, key: str) -> Note:
    """Return the only note on a key."""
    (only,) = notes(found, key)
    return only
