"""A description costs its own cloud, and no other one's."""

import os
import subprocess
import sys
from collections.abc import Mapping

import pytest

from clouds.descriptions import PLAY_FILE
from clouds.running import KNOWS_THE_TOY
from tests.cli.running import ROOT

AWS = ("hpc_components.aws", "hpc_components.elastic.drivers.aws", "pulumi_aws", "boto3", "botocore")

READINGS = ("access", "files", "fleets", "machines", "network", "quotas", "services", "standing", "storage")

RUN = """
import sys
from hpc_components.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print(*sorted(sys.modules), file=sys.stderr)
"""


def imported(*arguments: str, environment: Mapping[str, str] = KNOWS_THE_TOY) -> set[str]:
    """All modules in memory after `hpc` with these arguments."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.split())


def below(package: str, modules: set[str]) -> list[str]:
    """Those of a package, but for itself."""
    return sorted(each for each in modules if each == package or each.startswith(f"{package}."))


@pytest.mark.parametrize("command", ["validate", "render"])
def test_a_toy_description_imports_neither_aws_nor_an_sdk(command: str) -> None:
    found = imported(command, str(PLAY_FILE))
    assert "clouds.toy.spec" in found
    for package in (*AWS, "pulumi", "pulumi_gcp"):
        assert below(package, found) == [], package


@pytest.mark.parametrize("command", ["validate", "render"])
def test_an_aws_description_does_not_import_the_toy(command: str) -> None:
    found = imported(command, "aws-dev")
    assert "hpc_components.aws.spec" in found
    assert below("clouds.toy", found) == []
    assert below("pulumi", found) == []


def test_a_preview_imports_no_other_clouds_sdk() -> None:
    assert below("pulumi_aws", imported("preview", str(PLAY_FILE), "--format", "json")) == []


def test_a_preview_imports_no_readings_of_other_clouds() -> None:
    found = imported("preview", "aws-dev", "--format", "json", environment={})
    assert "hpc_components.aws.plan.machines" in found
    assert not {f"hpc_components.{cloud}.plan.{part}" for cloud in ("azure", "gcp") for part in READINGS} & found
    assert "hpc_components.aws.plan.standing" not in found
