"""The products of a cloud: folders of its package, each with all that concerns one thing that the cloud sells."""

from importlib import import_module
from pathlib import Path


def product_files(package: str, name: str) -> tuple[Path, ...]:
    """Return the files called `name` of all products in a cloud's package, sorted."""
    return tuple(sorted(Path(import_module(package).__path__[0]).glob(f"*/{name}")))


def product_modules(package: str, part: str) -> tuple[str, ...]:
    """Return the names of the modules `part` of all products in a cloud's package, sorted."""
    return tuple(f"{package}.{path.parent.name}.{part}" for path in product_files(package, f"{part}.py"))
