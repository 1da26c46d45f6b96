"""Imports of cloud SDKs on demand: a plan waits for the resource classes it uses, not for all the others.

The first touch of `pulumi_aws.ec2` runs its `__init__`, which imports every one of its modules; with the ten services
of a cluster that is most of a preview's time. Inside `sdk_on_demand()` such a package indexes its files: a name
is looked up in the module that the SDK's generator put it into (`LaunchTemplate` in `launch_template.py`, argument
classes of nested values in `_inputs.py`), and only that module is imported. A name that is not where it should be is
looked up by running the real `__init__`. The classes are the SDK's own either way, but for the keys of typed
dictionaries, which Python itself never looks at.
"""

import gc
import importlib
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import LazyLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from hpc_components.cloud import CLOUDS, cloud_named

__all__ = ["sdk_on_demand"]

_SHARED = ("_inputs", "_enums")
"""Modules of a package that hold names which belong to no single resource."""


@contextmanager
def sdk_on_demand() -> Generator[None]:
    """Import SDKs on demand, and without the garbage collector, which would walk all of it again and again."""
    finder = _Finder(frozenset(cloud_named(name).sdk for name in CLOUDS))
    sys.meta_path.insert(0, finder)
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        if collecting:
            gc.enable()


class _Finder(MetaPathFinder):
    """Finds an SDK's service packages as indexes of their files, and their `outputs` modules as lazy ones."""

    def __init__(self, sdks: frozenset[str]) -> None:
        self._sdks = sdks

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        sdk, _, rest = fullname.partition(".")
        if sdk not in self._sdks or not rest:
            return None
        spec = PathFinder.find_spec(fullname, path)
        if spec is None or spec.loader is None:
            return spec
        if spec.submodule_search_locations is not None:
            spec.loader = _IndexLoader(spec.loader)
        elif rest.endswith(".outputs"):
            spec.loader = LazyLoader(spec.loader)
        elif rest.endswith("._inputs") and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _InputsLoader(spec.loader.name, spec.loader.path)
        return spec


class _InputsLoader(SourceFileLoader):
    """Loads a module of argument classes without the bodies of the typed dictionaries beside them.

    `VpcArgsDict` says to type checkers which keys a dictionary in the place of `VpcArgs` may have. To evaluate the
    types of all keys takes a third of the module's time.
    """

    def get_code(self, fullname: str) -> CodeType | None:
        code = super().get_code(fullname)
        return code and code.replace(co_consts=tuple(_without_keys(each) for each in code.co_consts))


_EMPTY = next(each for each in compile("class Empty: pass", __file__, "exec").co_consts if isinstance(each, CodeType))


def _without_keys(constant: Any) -> Any:
    """The body of a class without any statement, if `constant` is that of a typed dictionary."""
    if not (isinstance(constant, CodeType) and constant.co_name.endswith("ArgsDict")):
        return constant
    name = constant.co_name
    constants = tuple(name if each == _EMPTY.co_name else each for each in _EMPTY.co_consts)
    return _EMPTY.replace(co_name=name, co_qualname=name, co_consts=constants)


class _IndexLoader(Loader):
    """Loads a package without running its `__init__`."""

    def __init__(self, real: Loader) -> None:
        self._real = real

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._real.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        files = {_plain(file.stem): file.stem for file in Path(module.__path__[0]).glob("[!_]*.py")}
        real = self._real

        def find(name: str) -> Any:
            """The module's `__getattr__` (PEP 562)."""
            # functions are called like their files, `get_ami` in `get_ami.py`; resources are not
            is_module = name in files.values() and not name.startswith("get_")
            if name.startswith("__") or is_module or name in _SHARED:
                raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
            found = _look_up(module.__name__, files, name)
            if found is None:
                del module.__dict__["__getattr__"]
                real.exec_module(module)
                return getattr(module, name)
            setattr(module, name, found)
            return found

        module.__dict__["__getattr__"] = find


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def _look_up(package: str, files: dict[str, str], name: str) -> Any:
    """`name` from the module it should be in, or None."""
    plain = _plain(name)
    homes = dict.fromkeys(plain.removesuffix(suffix) for suffix in ("", "args", "output"))
    for stem in [*(files[home] for home in homes if home in files), *_SHARED]:
        try:
            module = importlib.import_module(f"{package}.{stem}")
        except ModuleNotFoundError:
            continue
        if hasattr(module, name):
            return getattr(module, name)
    return None
