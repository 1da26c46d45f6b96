"""Nothing outside a cloud's own package names a cloud: code, scripts and templates of the core are read.

Comments and docstrings may: they give sources.
"""

import ast
import io
import re
import tokenize
from pathlib import Path

import pytest

from hpc_components.cloud import CLOUDS

ROOT = Path(__file__).parents[1] / "hpc_components"

REGISTRY = ROOT / "cloud.py"

KINDS = (".py", ".sh", ".j2", ".lua", ".service", ".css", ".js", ".html", ".conf", ".timer")

NAMES = re.compile(r"(?<![a-z])(aws|amazon\w*|ec2|azure\w*|microsoft|gcp|google|gce|boto\w*)(?![a-z])", re.I)

SERVICES = re.compile(r"(?<![a-z])(s3|fsx|efs|ebs|efa|iam|imds\w*|nitro|cloudwatch|ssm|arns?|kms|vpc)(?![a-z])", re.I)
"""What one cloud alone calls so."""

RULE_ID = re.compile(r"HPC-[A-Z]{3}-\d{3}")
"""Ids stay for ever: those of rules that were of one cloud at first have a word of it."""

LIBRARY = re.compile(r"^from google\.protobuf\b.*$", re.M)
"""Protocol Buffers, by the name of its Python package: Pulumi's engine speaks it."""

ALLOWED = {
    "spec/input_rules.py": 2,  # explanations of what is checked in any SDK's texts, ARNs and policies among them
    "spec/neighbours.py": 1,  # the source of a rule, in its explanation
    "elastic/drivers/instance_metadata.py": 1,  # the environment variable that has the address
    "cli/looking.py": 1,  # help of --fabric, with the words of the catalogues as examples
}
"""Lines that may name a service of a cloud, by file, each with its reason."""


def clouds_own(path: Path) -> bool:
    """Whether a file is of one cloud: in its package, or in its driver."""
    parts = path.relative_to(ROOT).parts
    return parts[0] in CLOUDS or (parts[:2] == ("elastic", "drivers") and parts[2] in CLOUDS)


CORE = sorted(path for path in ROOT.rglob("*") if path.suffix in KINDS and not clouds_own(path))


def code(path: Path) -> list[str]:
    """The lines of a file without comments and docstrings."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return _python(LIBRARY.sub("", text))
    mark = {".lua": "--", ".sh": "#", ".service": "#", ".conf": "#", ".timer": "#"}.get(path.suffix)
    return [re.sub(rf"(^|\s){mark}.*", "", line) if mark else line for line in text.splitlines()]


def _python(text: str) -> list[str]:
    lines = text.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(ast.parse(text)):
        body = getattr(node, "body", None)
        for each in body if isinstance(body, list) else ():
            match each:
                case ast.Expr(ast.Constant(str())):
                    lines[each.lineno - 1 : each.end_lineno] = [""] * (each.end_lineno - each.lineno + 1)
    return lines


def naming(words: re.Pattern[str], path: Path) -> list[str]:
    """The lines of a file's code with one of the words."""
    if not words.search(RULE_ID.sub("", path.read_text(encoding="utf-8"))):
        return []  # most files: neither code nor comments have one
    return [line.strip() for line in code(path) if words.search(RULE_ID.sub("", line))]


def test_no_file_of_the_core_names_a_cloud() -> None:
    assert len(CORE) > 200
    found = {str(path.relative_to(ROOT)): lines for path in CORE if (lines := naming(NAMES, path))}
    registry = found.pop("cloud.py")
    assert found == {}
    assert len(registry) == len(CLOUDS), "a line for each cloud"


def test_services_of_a_cloud_are_named_where_it_is_said_why() -> None:
    found = {str(path.relative_to(ROOT)): lines for path in CORE if (lines := naming(SERVICES, path))}
    assert {path: len(lines) for path, lines in found.items()} == ALLOWED, found


@pytest.mark.parametrize(
    ("name", "text", "count"),
    [
        ("a.py", '"""Of AWS."""\nx = 1  # as EC2 has it\n', 0),
        ("a.py", 'def f():\n    """As GCP has it."""\n    return "Azure"\n', 1),
        ("a.py", "from google.protobuf import struct_pb2\n", 0),
        ("a.py", "from google.cloud import storage\n", 1),
        ("a.py", "if cloud == 'aws':\n    import boto3\n", 2),
        ("a.sh", "# as on AWS\necho amazon-ssm-agent\n", 1),
        ("a.j2", "cloud: aws\n", 1),
        ("a.py", "laws = gcpu = 1\n", 0),
        ("a.py", 'rule("HPC-AWS-001")\n', 0),
        ("a.py", 'rule("HPC-AWS-001", "on AWS")\n', 1),
    ],
)
def test_a_name_is_found_in_code_and_nowhere_else(tmp_path: Path, name: str, text: str, count: int) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert len(naming(NAMES, path)) == count
