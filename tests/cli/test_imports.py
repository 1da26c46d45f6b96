"""Nothing is imported that a command does not need."""

import subprocess
import sys

import pytest

from tests.cli.running import ROOT

CLOUD = ("pulumi", "pulumi_aws", "boto3", "botocore", "grpc", "google")


def imported(code: str, arguments: tuple[str, ...] = ()) -> set[str]:
    """Names of the top packages in memory after `code`."""
    after = "\nimport sys; print(*sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code + after, *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(done.stderr.split())


RUN = """
import sys
from hpc_components.cli import main
try:
    main()
except SystemExit:
    pass
"""


@pytest.mark.parametrize("module", ["hpc_components", "hpc_components.cli"])
def test_package_and_command_do_not_import_heavy_modules(module: str) -> None:
    assert not imported(f"import {module}") & {*CLOUD, "pydantic", "rich", "jinja2", "yaml"}


@pytest.mark.parametrize("module", ["spec", "catalog", "slurm", "boot"])
def test_what_a_cluster_is_knows_no_cloud(module: str) -> None:
    assert not imported(f"import hpc_components.{module}") & {*CLOUD, "rich", "jinja2"}


@pytest.mark.parametrize(
    ("arguments", "unneeded"),
    [
        (("validate", "aws-cfd"), (*CLOUD, "rich", "jinja2")),
        (("rules",), (*CLOUD, "rich", "jinja2")),
        (("schema",), (*CLOUD, "rich", "jinja2")),
        (("render", "aws-cfd"), (*CLOUD, "rich", "jinja2")),
        (("render", "--help"), (*CLOUD, "pydantic", "rich", "jinja2", "yaml")),
        (("machines",), (*CLOUD, "pydantic", "rich", "jinja2", "yaml")),
        (("diff", "--help"), (*CLOUD, "pydantic", "rich", "jinja2", "yaml")),
        (("init", "--help"), (*CLOUD, "pydantic", "rich", "jinja2", "yaml")),
        (("rehearse", "--help"), (*CLOUD, "pydantic", "rich", "jinja2", "yaml")),
        (("--help",), (*CLOUD, "pydantic", "rich", "jinja2", "yaml")),
        (("preview", "aws-dev", "--format", "json"), ("boto3", "jinja2")),
    ],
    ids=lambda value: value[0],
)
def test_a_command_imports_what_it_needs(arguments: tuple[str, ...], unneeded: tuple[str, ...]) -> None:
    assert not imported(RUN, arguments) & set(unneeded)
