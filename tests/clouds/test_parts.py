"""Each cloud has all parts that the core asks for, and the type checker says so."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from hpc_components.cloud import CLOUDS, cloud_named
from hpc_components.cloud_parts import CloudParts

ROOT = Path(__file__).parents[2]
PARTS = sorted(name for name in vars(CloudParts) if not name.startswith("_"))
MAY_BE_NONE = {"activity", "bucket_api", "convert", "cost_export", "plan_rules", "preflight", "price_list", "spot"}
TOY = Path(__file__).parent / "toy" / "cloud.py"


def assert_complete(cloud: str) -> None:
    for part in PARTS:
        assert getattr(cloud_named(cloud).parts, part) is not None or part in MAY_BE_NONE, part


@pytest.mark.parametrize("cloud", CLOUDS)
def test_every_part_of_a_cloud_can_be_imported(cloud: str) -> None:
    assert_complete(cloud)


@pytest.mark.usefixtures("toy")
def test_every_part_of_the_toy_cloud_can_be_imported() -> None:
    assert_complete("toy")


def lacking(part: str) -> str:
    """The toy cloud's module `cloud`, without one part."""
    module = ast.parse(TOY.read_text(encoding="utf-8"))
    (parts,) = (each for each in module.body if isinstance(each, ast.ClassDef))
    kept = [each for each in parts.body if part not in _names(each)]
    assert len(kept) == len(parts.body) - 1, part
    parts.body = kept
    return ast.unparse(module)


def _names(statement: ast.stmt) -> list[str]:
    match statement:
        case ast.FunctionDef(name=name):
            return [name]
        case ast.Assign(targets=[ast.Name(id=name)]):
            return [name]
    return []


def checked(*paths: Path) -> str:
    """What the type checker says of these files."""
    done = subprocess.run(
        [Path(sys.executable).with_name("ty"), "check", "--extra-search-path", "tests", *paths],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def test_type_checker_refuses_a_cloud_that_lacks_a_part(tmp_path: Path) -> None:
    assert checked(TOY) == "All checks passed!\n"
    files = [tmp_path / f"without_{part}.py" for part in PARTS]
    for file, part in zip(files, PARTS, strict=True):
        file.write_text(lacking(part), encoding="utf-8")
    said = checked(*files)
    assert [part for part in PARTS if f"protocol member `{part}` is not defined" not in said] == [], said
    assert f"Found {len(PARTS)} diagnostics" in said


def test_finding_a_cloud_imports_none_of_its_parts() -> None:
    code = (
        "import sys; from hpc_components.cloud import CLOUDS, cloud_named; "
        "list(map(cloud_named, CLOUDS)); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = [name.split(".") for name in done.stdout.split()]
    assert {name[1] for name in modules if name[0] == "hpc_components" and name[1:]} == {
        "cloud", "elastic", "errors", "lazy_exports", *CLOUDS,
    }  # fmt: skip
    assert not {"pulumi", "pydantic"} & {name[0] for name in modules}
