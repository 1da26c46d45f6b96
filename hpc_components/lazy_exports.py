"""Lets a package import the modules behind its public names on first use."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_exports(
    package: str, modules: Mapping[str, str]
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__all__`, `__getattr__` and `__dir__` for a package that imports a name's module when it is first used.

    `modules` maps the path of each module below the package to its names, separated by spaces. The package should
    also import the names under TYPE_CHECKING (`import Vpc as Vpc`) for editors and type checkers.
    """
    homes = {name: f"{package}.{module}" for module, names in modules.items() for name in names.split()}
    public = sorted(homes)

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)  # so that the next access finds it directly
        return value

    return public, find, public.copy
