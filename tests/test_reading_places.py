"""Files of users and repositories are read by `user_files`, and JSON in them by `strict_json`, nowhere else."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "hpc_components"

READERS = ("user_files.py", "strict_json.py")

ON_NODES = (
    "audit/node",
    "elastic",
    "bill",
    "health/node",
    "people/node",
    "software/node",
    "watch/node",
    "boot/scripts",
    "aws/boot/scripts",
    "azure/boot/scripts",
    "gcp/boot/scripts",
    "rehearse/run/jobs",
    "accept/checks/programs",
    "aws/accept",
    "azure/accept",
    "gcp/accept",
)
"""Runs on machines of the cluster, beside files that only root writes there."""

REASONS = {
    "accept/workspace.py": (1, "an archive in memory, to write the package's own files to"),
    "forecast/export_file.py": (1, "the archive in a file that open_regular opened"),
    "catalog/_load.py": (2, "the catalogue's own data"),
    "azure/preflight/part.py": (1, "what the Azure CLI prints; ValueError is caught"),
    "preflight/rest.py": (2, "answers of a cloud, over the network; ValueError is caught"),
    "catalog/online/http.py": (1, "the answer of a price list, over the network"),
    "aws/components/function.py": (1, "the package's own handlers"),
    "aws/plan/inputs/formats.py": (1, "a text that `json_text` has read before"),
    "boot/archive.py": (2, "the package's own modules, copied into an archive"),
    "images/bundle.py": (1, "an archive in memory, to write the package's own files to"),
    "images/unpacked.py": (1, "a bundle in memory, as a plan has it; TarError and ValueError are caught"),
    "operate/doctor/thresholds.py": (1, "the package's own data"),
    "cli/output.py": (1, "/dev/null in place of a closed stream"),
    "boot/manifest.py": (1, "a file that the program itself makes"),
    "boot/packaged.py": (1, "the package's own scripts"),
    "convert/report.py": (1, "JSON of our own report"),
    "convert/stack_file.py": (1, "YAML of our own making"),
    "preview/inputs/formats.py": (1, "an input of the recorded program; RecursionError is caught"),
    "preview/recorder/wire.py": (2, "`is_file` before; read in parts, and only hashed"),
    "review/pull_request.py": (1, "an answer of GitHub"),
    "spec/source.py": (1, "the reader of YAML, which is given a text"),
    "rehearse/cluster/adapt.py": (1, "a rendered file of the cluster"),
    "rehearse/cluster/daemons.py": (1, "a log of the rehearsal"),
    "rehearse/cluster/software.py": (1, "a rendered file of the cluster"),
    "rehearse/hosts/accounts.py": (1, "/etc/passwd and the like"),
    "rehearse/hosts/cgroups.py": (1, "/proc"),
    "rehearse/hosts/host.py": (1, "a file of a rehearsed host"),
    "rehearse/hosts/reaper.py": (1, "/proc"),
    "rehearse/hosts/sandbox.py": (1, "/proc"),
    "rehearse/hosts/service.py": (2, "/proc"),
    "rehearse/run/checks.py": (2, "logs of the rehearsal"),
    "rehearse/run/job.py": (2, "the package's own jobs"),
    "rehearse/run/requirements.py": (2, "/proc, and libraries of this machine"),
    "rehearse/run/runner.py": (1, "/etc/os-release"),
    "testing/_outcome.py": (3, "what the engine wrote in a test"),
    "testing/asset_texts.py": (4, "assets of the program that its own author tests"),
    "testing/engine.py": (5, "the project that its own author tests"),
    "testing/facts.py": (1, "the package's own data"),
    "testing/stand_in_cloud.py": (4, "the stand-in's own records"),
    "aws/testing/functions.py": (1, "a function that a test calls"),
}  # fmt: skip
"""Calls that may read otherwise, by file, and why."""

NOT_FILES = ("interview.open()", "self.cluster.open()", "self.site.open()")


def readings(text: str) -> Iterator[str]:
    """The calls in a module that read a file or parse JSON or YAML, but for the package's own data."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and _reads(node):
            words = ast.unparse(node)
            if "files(" not in words and "packaged_text(" not in words and words not in NOT_FILES:
                yield words


def _reads(call: ast.Call) -> bool:
    match call.func:
        case ast.Attribute(attr="read_text" | "read_bytes" | "safe_load" | "compose"):
            return True
        case ast.Attribute(value=ast.Name(id="json" | "yaml" | "tomllib"), attr="load" | "loads"):
            return True
        case ast.Attribute(value=ast.Name(id="tarfile" | "zipfile"), attr="open" | "ZipFile"):
            return True
        case ast.Attribute(value=ast.Name(id="os"), attr="open"):
            return "O_WRONLY" not in ast.unparse(call)
        case ast.Attribute(attr="open"):
            return not call.args or _mode(call.args[0]).startswith("r")
        case ast.Name(id="open"):
            return len(call.args) < 2 or not _mode(call.args[1]).startswith(("w", "a", "x"))
    return False


def _mode(argument: ast.expr) -> str:
    value = argument.value if isinstance(argument, ast.Constant) else ""
    return value if isinstance(value, str) and len(value) <= 3 else ""


MODULES = sorted(
    path
    for path in ROOT.rglob("*.py")
    if not path.relative_to(ROOT).as_posix().startswith(ON_NODES) and path.relative_to(ROOT).as_posix() not in READERS
)


def test_files_of_users_are_read_by_the_one_reader() -> None:
    found = {path.relative_to(ROOT).as_posix(): list(readings(path.read_text(encoding="utf-8"))) for path in MODULES}
    allowed = {name: count for name, (count, _) in REASONS.items()}
    others = {name: calls for name, calls in found.items() if len(calls) != allowed.get(name, 0)}
    assert not others, "read these with user_files or strict_json, or say in REASONS why not"


@pytest.mark.parametrize(
    "text",
    [
        "open(name)", "open(name, mode)", "path.open()", "path.open('rb')", "Path(name).read_text()",
        "file.read_bytes()", "json.load(file)", "json.loads(text)", "yaml.safe_load(text)",
        "os.open(name, os.O_RDONLY)", "tarfile.open(name)",
    ],
)  # fmt: skip
def test_a_reading_place_is_found(text: str) -> None:
    assert list(readings(text))


@pytest.mark.parametrize(
    "text", ["open(name, 'wb')", "path.open('a')", "project.open(stack)", "files(package).joinpath('x').read_text()"]
)
def test_writing_and_data_of_the_package_are_not_meant(text: str) -> None:
    assert not list(readings(text))
