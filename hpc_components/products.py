"""Finds a cloud's products: folders in its package, each with everything about one thing that the cloud sells."""

from importlib import import_module
from pathlib import Path


def product_files(package: str, name: str) -> tuple[Path, ...]:
    """Return the sorted paths of the files named `name` in all products of a cloud's package."""
    return tuple(sorted(Path(import_module(package).__path__[0]).glob(f"*/{name}")))


def product_modules(package: str, part: str) -> tuple[str, ...]:
    """Return the sorted full names of the modules named `part` in all products of a cloud's package."""
    return tuple(f"{package}.{path.parent.name}.{part}" for path in product_files(package, f"{part}.py"))
