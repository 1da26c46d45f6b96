"""docs/public.md lists all that is public, and nothing that is not there."""

import ast
import json
import re
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner

from hpc_components.cli import main
from hpc_components.cloud import CLOUDS
from hpc_components.errors import HpcError

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/public.md").read_text(encoding="utf-8")


def listed(title: str) -> dict[str, list[str]]:
    """First cell -> what stands between backquotes in the second, of each row of the table under `title`."""
    table = PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(.+?)` \| (.+?) \|", table, re.MULTILINE)
    return {first: re.findall(r"`([^`]+)`", second) for first, second in rows}


MODULES = listed("Python")
CODE = sorted((ROOT / "examples").glob("*/__main__.py"))
"""Programs that users begin from."""


def imports(code: str) -> set[tuple[str, str]]:
    """Module and name of everything that `code` imports from this package."""
    found = [each for each in ast.walk(ast.parse(code)) if isinstance(each, ast.ImportFrom)]
    return {
        (each.module, alias.name)
        for each in found
        if each.module and each.module.startswith("hpc_components")
        for alias in each.names
    }


@pytest.mark.parametrize("module", MODULES)
def test_a_public_module_has_the_names_that_are_listed_and_no_others(module: str) -> None:
    there = import_module(module)
    assert sorted(MODULES[module]) == sorted(there.__all__)
    for name in MODULES[module]:
        assert getattr(there, name) is not None


@pytest.mark.parametrize("program", CODE, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_of_users_programs_are_public(program: Path) -> None:
    for module, name in imports(program.read_text(encoding="utf-8")):
        assert f"{module}.{name}" in MODULES or name in MODULES[module], f"{module}.{name}"


def test_imports_of_pages_are_public() -> None:
    blocks = [
        block
        for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
        for block in re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    ]
    imported = {each for block in blocks for each in imports(block)}
    assert imported
    assert [f"{module}.{name}" for module, name in imported if name not in MODULES.get(module, ())] == []


def test_every_public_error_is_under_one_root() -> None:
    public = [getattr(import_module(module), name) for module, names in MODULES.items() for name in names]
    errors = [one for one in public if isinstance(one, type) and issubclass(one, Exception)]
    assert len(errors) > 3
    assert [one for one in errors if not issubclass(one, HpcError)] == []


@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_component_has_the_type_that_is_listed(cloud: str) -> None:
    package = f"hpc_components.{cloud}"
    tokens = {
        token
        for file in (ROOT / package.replace(".", "/")).glob("*/*.py")
        for token in re.findall(r'_register\(\s*"(hpc:\w+:\w+)"', file.read_text(encoding="utf-8"))
    }
    names = {name for name in MODULES[package] if f"{name}Args" in MODULES[package]}
    assert tokens == {f"hpc:{cloud}:{name}" for name in names}


APART = ("rehearse", "accept", "status", "nodes", "doctor", "job", "audit")
"""Commands that need a cluster. Tests below, in tests/accept and in tests/operate check their documents."""


@pytest.mark.parametrize("command", [each for each in listed("Documents") if each.split()[1] not in APART])
def test_a_document_has_the_key_that_is_listed(command: str) -> None:
    files = {
        "STACK": "stacks/config/Pulumi.aws-dev.yaml",
        "FILE": "tests/clouds/aws/convert/files/published.yaml",
        "PLAN": "tests/preview/golden/plan.json",
        "EXPORT": "examples/bill/export",
        "JOBS": "tests/forecast/hpc2n.swf",
    }
    words = [str(ROOT / files[word]) if word in files else word for word in command.split()[1:]]
    written = json.loads(CliRunner().invoke(main, words).stdout)
    (begins,) = listed("Documents")[command]
    key, _, version = begins.partition(": ")
    assert key in written
    assert written[key] == int(version) if version else written[key]


def test_a_rehearsals_document_has_the_key_that_is_listed() -> None:
    sample = json.loads((ROOT / "tests/rehearse/show/golden/spot.json").read_text(encoding="utf-8"))
    assert listed("Documents")["hpc rehearse STACK --format json"] == [f"rehearsal: {sample['rehearsal']}"]


def test_every_command_is_listed() -> None:
    sentence = PAGE.partition("\n## The command\n")[2].partition("\n\n|")[0]
    assert set(re.findall(r"`hpc ([\w-]+)(?: \w+)?`", sentence)) == set(main.commands)
