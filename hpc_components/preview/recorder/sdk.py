"""Imports cloud SDKs on demand, so that a plan imports only the resource classes it uses.

Normally, the first access to a package such as `pulumi_aws.ec2` runs the package's `__init__`, which imports all of
its modules. For the ten services that a cluster uses, these imports take up most of a preview's time. Inside
`sdk_on_demand()`, such a package indexes its files instead. The requested name is looked up in the module where the
SDK's generator puts it (`LaunchTemplate` in `launch_template.py`, argument classes of nested values in `_inputs.py`),
and only that module is imported. If the name is not found there, the real `__init__` runs.

In both cases, the program gets the SDK's own classes. Only the SDK's typed dictionaries lose their keys, which Python
doesn't need at run time.
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

_SHARED = ("_inputs", "_enums")


@contextmanager
def sdk_on_demand() -> Generator[None]:
    """Import SDKs on demand within the block. Garbage collection is disabled to save time."""
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
    """Loads modules of argument classes, skipping the bodies of typed dictionaries.

    Typed dictionaries such as `VpcArgsDict` tell type checkers which keys are allowed in a dictionary that is passed
    instead of `VpcArgs`. Evaluating the key types takes up a third of the module's import time.
    """

    def get_code(self, fullname: str) -> CodeType | None:
        code = super().get_code(fullname)
        return code and code.replace(co_consts=tuple(_without_keys(each) for each in code.co_consts))


_EMPTY = next(each for each in compile("class Empty: pass", __file__, "exec").co_consts if isinstance(each, CodeType))


def _without_keys(constant: Any) -> Any:
    if not (isinstance(constant, CodeType) and constant.co_name.endswith("ArgsDict")):
        return constant
    name = constant.co_name
    constants = tuple(name if each == _EMPTY.co_name else each for each in _EMPTY.co_consts)
    return _EMPTY.replace(co_name=name, co_qualname=name, co_consts=constants)


class _IndexLoader(Loader):
    def __init__(self, real: Loader) -> None:
        self._real = real

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._real.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        files = {_plain(file.stem): file.stem for file in Path(module.__path__[0]).glob("[!_]*.py")}
        real = self._real

        def find(name: str) -> Any:
            """Serve as the module's `__getattr__` (PEP 562)."""
            # a name that matches a file is a module, unless it is a function such as `get_ami`, which is defined in
            # `get_ami.py`
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
