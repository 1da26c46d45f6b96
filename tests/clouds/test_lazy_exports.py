"""Editors and type checkers read the imports under TYPE_CHECKING, programs use the table beside them."""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from hpc_components.cloud import CLOUDS, cloud_named


@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_type_checker_finds_the_names_that_a_program_imports(cloud: str) -> None:
    package = importlib.import_module(cloud_named(cloud).package)
    seen = {name: getattr(importlib.import_module(module), name) for module, name in seen_imports(package)}
    assert seen == {name: getattr(package, name) for name in package.__all__}


def seen_imports(package: ModuleType) -> Iterator[tuple[str, str]]:
    """Module and name of each import that a type checker takes for a public name: `import Vpc as Vpc`."""
    for node in ast.walk(ast.parse(Path(str(package.__file__)).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield from ((str(node.module), each.name) for each in node.names if each.asname == each.name)
