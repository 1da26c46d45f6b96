"""Finds a cloud's products. A product is a folder in the cloud's package with all code for one cloud service."""

from importlib import import_module
from pathlib import Path


def product_files(package: str, name: str) -> tuple[Path, ...]:
    return tuple(sorted(Path(import_module(package).__path__[0]).glob(f"*/{name}")))


def product_modules(package: str, part: str) -> tuple[str, ...]:
    return tuple(f"{package}.{path.parent.name}.{part}" for path in product_files(package, f"{part}.py"))
