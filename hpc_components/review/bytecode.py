"""Adds bytecode to copies of this package's repository, so that Python doesn't compile the package again."""

import os
import shutil
from collections.abc import Collection
from importlib.util import cache_from_source
from pathlib import Path

_PACKAGE = "hpc_components"


def has_package(tree: Path) -> bool:
    return (tree / _PACKAGE / "__init__.py").is_file()


def lend_bytecode(root: Path, tree: Path, differing: Collection[str]) -> None:
    """Copy the package's bytecode from `root` to `tree`, except for source paths in `differing`.

    Python uses bytecode only if the source file has the recorded size and modification time. The source files in
    `tree` are therefore given the modification times of the originals.
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
