"""The stub on Azure: how it knows who it is, and fetches blobs. What the frame does is tested on AWS."""

import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

from .azure_stage import IDENTITIES, azure_tags
from .fake_azure import FakeAzure
from .fake_imds import Vm
from .test_user_data import boot, bucket, console

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")


def machine(azure: FakeAzure, role: str = "head", environment: str = "AzurePublicCloud", **tags: str) -> None:
    """The machine that asks, and a configuration."""
    all_tags = {key: value for key, value in (azure_tags(role, "") | tags).items() if value}
    azure.imds.machines[""] = Vm(all_tags, environment=environment)
    azure.blob.containers["config"] = bucket()


def test_fetches_what_belongs_to_the_role_and_runs_its_script(azure: FakeAzure, tmp_path: Path) -> None:
    machine(azure)
    run = boot(azure, tmp_path, cloud="azure")
    assert run.returncode == 0, run
    ran = (tmp_path / "config" / "ran").read_text()
    assert ran == 'head labconfig1a2b3c/config eastus\n{"name": "cfd"}\nClusterName=cfd\n'
    assert console(tmp_path)[0] == "hpc-boot: head: configuration of labconfig1a2b3c/config is here"


@pytest.mark.parametrize(
    ("environment", "host"),
    [
        ("AzurePublicCloud", "labconfig1a2b3c.blob.core.windows.net"),
        ("AzureUSGovernmentCloud", "labconfig1a2b3c.blob.core.usgovcloudapi.net"),
        ("AzureChinaCloud", "labconfig1a2b3c.blob.core.chinacloudapi.cn"),
    ],
)
def test_blobs_are_asked_of_the_cloud_that_the_machine_is_in(
    azure: FakeAzure, tmp_path: Path, environment: str, host: str
) -> None:
    machine(azure, environment=environment)
    run = boot(azure, tmp_path, tries=1, cloud="azure", BLOB="", https_proxy="http://127.0.0.1:9")
    assert console(tmp_path) == [f"hpc-boot: FAILED: https://{host}/config/manifest: can't be fetched (1 attempts)"]
    assert run.returncode == 1


@pytest.mark.parametrize(
    ("tags", "reason"),
    [
        ({"hpc:config": ""}, "no tag hpc:role, hpc:config or hpc:identity"),
        ({"hpc:identity": ""}, "no tag hpc:role, hpc:config or hpc:identity"),
    ],
)
def test_a_machine_that_does_not_know_enough_ends_itself(
    azure: FakeAzure, tmp_path: Path, tags: dict[str, str], reason: str
) -> None:
    """It knows that it is a compute node, and ends itself."""
    machine(azure, "compute", **tags)
    assert boot(azure, tmp_path, tries=1, cloud="azure").returncode == 1
    assert console(tmp_path) == [f"hpc-boot: FAILED: {reason} (1 attempts)"]
    assert (tmp_path / "shutdown").read_text() == "-h +1\n"


def test_an_identity_that_the_machine_does_not_have_is_named(azure: FakeAzure, tmp_path: Path) -> None:
    machine(azure)
    azure.imds.machines[""] = Vm(azure_tags("head", ""), lacks=frozenset({IDENTITIES["head"]}))
    boot(azure, tmp_path, tries=1, cloud="azure")
    told = f"no token for the identity {IDENTITIES['head']} (tag hpc:identity) (1 attempts)"
    assert console(tmp_path) == [f"hpc-boot: FAILED: {told}"]


def test_a_right_that_takes_a_while_is_awaited(azure: FakeAzure, tmp_path: Path) -> None:
    machine(azure)
    grants, azure.grants = azure.grants, {}
    assert boot(azure, tmp_path, tries=1, cloud="azure").returncode == 1
    azure.grants = grants
    assert boot(azure, tmp_path, tries=1, cloud="azure").returncode == 0


@pytest.mark.parametrize(
    "path", ["/config/manifest", "/metadata/identity/oauth2/token", "/metadata/instance/compute"]
)
def test_passing_failure_is_retried(azure: FakeAzure, tmp_path: Path, path: str) -> None:
    machine(azure)
    azure.failures = Counter({path: 2})
    assert boot(azure, tmp_path, cloud="azure").returncode == 0
    assert azure.asked.count("GET /config/common/cluster.json") == 1, "what is here and right is not fetched again"


def test_no_token_is_an_argument_or_told(azure: FakeAzure, tmp_path: Path) -> None:
    """All users of a login node see the arguments of all processes."""
    machine(azure)
    fakes = tmp_path / "fakes"
    fakes.mkdir()
    for command in ("curl", "python3"):
        (fakes / command).write_text(
            f'#!/bin/bash\necho "$0 $@" >>{tmp_path}/seen\nexec {shutil.which(command)} "$@"\n'
        )
        (fakes / command).chmod(0o755)
    run = boot(azure, tmp_path, cloud="azure")
    assert run.returncode == 0
    seen = (tmp_path / "seen").read_text()
    assert "/config/head/slurm.conf" in seen
    told = seen + run.stdout + run.stderr + (tmp_path / "boot.log").read_text() + (tmp_path / "console").read_text()
    assert not re.search("eyJ-secret", told)
