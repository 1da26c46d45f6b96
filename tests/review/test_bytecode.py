"""Copies of a repository that holds this package run on byte code that is there already."""

import os
import py_compile
import subprocess
import sys
from pathlib import Path

import pytest

from hpc_components.review.bytecode import has_package, lend_bytecode


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A package with byte code that says `old` where the sources say `new`, which are of the same size and time."""
    package = tmp_path / "root" / "hpc_components"
    (package / "inner").mkdir(parents=True)
    for name in ("__init__.py", "inner/__init__.py", "inner/same.py", "other.py"):
        (source := package / name).write_text("WORD = 'old'\n")
        py_compile.compile(str(source))
        times = source.stat()
        source.write_text("WORD = 'new'\n")
        os.utime(source, ns=(times.st_atime_ns, times.st_mtime_ns))
    return tmp_path / "root"


@pytest.fixture
def tree(root: Path, tmp_path: Path) -> Path:
    """A copy of the sources, made later."""
    for source in root.rglob("*.py"):
        copy = tmp_path / "tree" / source.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(source.read_text())
        os.utime(copy, (0, 0))
    return tmp_path / "tree"


def words(tree: Path) -> list[str]:
    modules = ("hpc_components.inner.same", "hpc_components.other")
    code = "; ".join(f"import {name}; print({name}.WORD)" for name in modules)
    run = [sys.executable, "-P", "-B", "-c", code]
    return subprocess.run(
        run, env={"PYTHONPATH": str(tree)}, capture_output=True, text=True, check=True
    ).stdout.split()


def test_modules_that_are_the_same_are_not_compiled_again(root: Path, tree: Path) -> None:
    assert words(tree) == ["new", "new"]
    lend_bytecode(root, tree, {"hpc_components/other.py"})
    assert words(tree) == ["old", "new"]


def test_a_module_that_was_never_compiled_is_left_alone(root: Path, tree: Path) -> None:
    for compiled in root.rglob("*.pyc"):
        compiled.unlink()
    (tree / "hpc_components" / "gone.py").write_text("")
    lend_bytecode(root, tree, ())
    assert words(tree) == ["new", "new"]
    assert not list(tree.rglob("__pycache__"))


def test_a_repository_without_the_package_has_none(tree: Path, tmp_path: Path) -> None:
    assert has_package(tree)
    assert not has_package(tmp_path)
