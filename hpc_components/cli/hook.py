"""What pre-commit runs (`.pre-commit-hooks.yaml`): `hpc validate`, for those stack files that describe a cluster.

pre-commit names every changed file that is called like a stack's, and other programs have such files as well.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from hpc_components.cli import main as command
from hpc_components.spec.project import CLUSTER_KEY, open_stack_file
from hpc_components.spec.source import UnreadableError

__all__ = ["main"]


def main(names: Sequence[str]) -> None:
    """Judge the files of these names. Exits as `hpc validate` does; with 0 if none describes a cluster."""
    described = [name for name in names if _may_describe(Path(name))]
    if described:
        command(["validate", *described])


def _may_describe(file: Path) -> bool:
    """Whether there is a cluster in a file; what can't be read is for `hpc validate` to tell."""
    try:
        return CLUSTER_KEY in open_stack_file(file).config
    except UnreadableError:
        return True


if __name__ == "__main__":
    main(sys.argv[1:])
