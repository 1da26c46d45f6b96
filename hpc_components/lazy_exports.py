"""Public names of a package whose modules are imported on first use. Imports nothing else of the package."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_exports(
    package: str, modules: Mapping[str, str]
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__all__`, `__getattr__` and `__dir__` of a package that imports a name's module on first use.

    `modules` has the names of each module, separated by blanks, by the module's path below the package. The package
    imports them under TYPE_CHECKING too (`import Vpc as Vpc`), for editors and type checkers.
    """
    homes = {name: f"{package}.{module}" for module, names in modules.items() for name in names.split()}
    public = sorted(homes)

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)  # found there the next time
        return value

    return public, find, public.copy
