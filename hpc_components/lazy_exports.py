import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_exports(
    package: str, modules: Mapping[str, str]
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__all__`, `__getattr__` and `__dir__` for a package that imports each of its modules only when one of
    the module's names is first used.

    `modules` maps each module's path, relative to the package, to the module's names, separated by spaces. The
    package should also import the names under TYPE_CHECKING (`import Vpc as Vpc`) for editors and type checkers.
    """
    homes = {name: f"{package}.{module}" for module, names in modules.items() for name in names.split()}
    public = sorted(homes)

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)  # skip this lookup on the next access
        return value

    return public, find, public.copy
