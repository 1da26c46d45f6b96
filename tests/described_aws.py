"""The program of this project, run for descriptions that have no stack file."""

from functools import cache
from pathlib import Path

from hpc_components.preview.record import Recording
from hpc_components.preview.stack import record_stack
from hpc_components.spec.project import StackFile, find_project
from hpc_components.spec.source import read_yaml
from hpc_components.spec.validate import judge

PROJECT = find_project(Path(__file__).parent)


@cache
def recorded(cluster: str) -> Recording:
    """What an update of a stack with this cluster registers; `cluster` is YAML in which no rule finds an error."""
    below = "".join(f"    {line}\n" for line in cluster.splitlines())
    file = StackFile(Path("Pulumi.described.yaml"), read_yaml(f"config:\n  hpc:cluster:\n{below}", "described"))
    errors = judge(file.cluster).errors
    assert errors == (), errors
    return record_stack(PROJECT, file, preview=False)
