"""Adds byte code to copies of a repository that contains this package, so that Python doesn't compile it again."""

import os
import shutil
from collections.abc import Collection
from importlib.util import cache_from_source
from pathlib import Path

_PACKAGE = "hpc_components"


def has_package(tree: Path) -> bool:
    """Return whether a repository's files include this package."""
    return (tree / _PACKAGE / "__init__.py").is_file()


def lend_bytecode(root: Path, tree: Path, differing: Collection[str]) -> None:
    """Copy the byte code of the package's modules from `root` to `tree`, except for paths in `differing`.

    Python uses byte code only if the source has the recorded size and modification time, so the copied sources get
    the originals' times.
    """
    for folder, _, names in os.walk(tree / _PACKAGE):
        for name in names:
            copy = Path(folder, name)
            path = copy.relative_to(tree)
            if copy.suffix == ".py" and path.as_posix() not in differing:
                _lend(root / path, copy)


def _lend(original: Path, copy: Path) -> None:
    compiled, place = Path(cache_from_source(original)), Path(cache_from_source(copy))
    if compiled.exists():
        place.parent.mkdir(exist_ok=True)
        shutil.copyfile(compiled, place)
        shutil.copystat(original, copy)
