"""Errors of the whole package: one root, and one sentence where one reaches a command."""

import ast
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import hpc_components
from hpc_components.cli.command import Command
from hpc_components.cloud import UnknownCloudError
from hpc_components.errors import HpcError
from hpc_components.preview.plan import UnreadablePlanError
from hpc_components.preview.recording import ProgramError, RecordingLookupError

PACKAGE = Path(hpc_components.__file__).parent
TRAVELS = (
    "elastic/",
    "aws/node_reaper/handler.py",
    "aws/session_manager/handler.py",
    "azure/boot/scripts/",
    "bill/node/",
    "boot/scripts/",
    "gcp/boot/scripts/",
    "bill/",
    "people/node/",
    "software/node/",
    "health/node/",
    "audit/",
    "watch/node/",
)
"""What runs on nodes or in Lambda, without the rest of the package."""


def test_every_public_error_derives_from_the_one_root() -> None:
    bases = {"HpcError": "Exception"}
    for file in PACKAGE.rglob("*.py"):
        if file.relative_to(PACKAGE).as_posix().startswith(TRAVELS):
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ClassDef) and node.name.endswith("Error") and not node.name.startswith("_"):
                bases.setdefault(node.name, ast.unparse(node.bases[0]))
    roots = {name: _root(name, bases) for name in bases}
    assert {name for name, root in roots.items() if root != "HpcError"} == set()
    assert {"ProgramError", "SpecError", "ImpossibleError", "EngineError"} <= set(bases)


def _root(name: str, bases: dict[str, str]) -> str:
    return _root(bases[name], bases) if name != "HpcError" and name in bases else name


@pytest.mark.parametrize(
    ("error", "also"),
    [
        (UnreadablePlanError("no plan"), ValueError),
        (RecordingLookupError("no such resource"), LookupError),
        (UnknownCloudError("nimbus"), KeyError),
    ],
)
def test_an_error_keeps_its_builtin_type(error: Exception, also: type[Exception]) -> None:
    assert isinstance(error, HpcError)
    assert isinstance(error, also)


@pytest.mark.parametrize(
    "error", [ProgramError("it fails", "infra/vpc.py:12"), UnknownCloudError("nimbus"), HpcError("what, why, remedy")]
)
def test_an_expected_error_ends_a_command_with_one_sentence(error: HpcError) -> None:
    done = CliRunner().invoke(_failing(error))
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.splitlines() == [f"Error: {error}"]


def test_an_unexpected_error_is_not_hidden() -> None:
    done = CliRunner().invoke(_failing(RuntimeError("a bug")))
    assert done.exit_code == 1
    assert isinstance(done.exception, RuntimeError)


def _failing(error: Exception) -> click.Command:
    def fail() -> None:
        raise error

    return Command("fail", callback=fail)
