"""Implements the pre-commit hook (`.pre-commit-hooks.yaml`), which validates changed stack files.

pre-commit passes every changed file that is named like a stack file. Files that don't describe a cluster, such as the
stack files of other Pulumi programs, are skipped.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from hpc_components.cli import main as command
from hpc_components.spec.project import CLUSTER_KEY, open_stack_file
from hpc_components.spec.source import UnreadableError


def main(names: Sequence[str]) -> None:
    """Validate these files. Exit with the exit code of `hpc validate`, or with 0 if no file describes a cluster."""
    described = [name for name in names if _may_describe(Path(name))]
    if described:
        command(["validate", *described])


def _may_describe(file: Path) -> bool:
    """Return whether a file describes a cluster or can't be read. `hpc validate` reports unreadable files."""
    try:
        return CLUSTER_KEY in open_stack_file(file).config
    except UnreadableError:
        return True


if __name__ == "__main__":
    main(sys.argv[1:])
