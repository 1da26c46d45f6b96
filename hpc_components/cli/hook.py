"""The pre-commit hook (`.pre-commit-hooks.yaml`): `hpc validate` for the changed stack files that describe a cluster.

pre-commit passes every changed file that is named like a stack file; other Pulumi programs have such files too.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from hpc_components.cli import main as command
from hpc_components.spec.project import CLUSTER_KEY, open_stack_file
from hpc_components.spec.source import UnreadableError


def main(names: Sequence[str]) -> None:
    """Judge these files. Exit as `hpc validate` does, or with 0 if no file describes a cluster."""
    described = [name for name in names if _may_describe(Path(name))]
    if described:
        command(["validate", *described])


def _may_describe(file: Path) -> bool:
    """Return whether a file describes a cluster, or can't be read, which `hpc validate` then reports."""
    try:
        return CLUSTER_KEY in open_stack_file(file).config
    except UnreadableError:
        return True


if __name__ == "__main__":
    main(sys.argv[1:])
