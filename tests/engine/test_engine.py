"""What the engine helper does around the CLI; no CLI is needed."""

import json
import os
from pathlib import Path

import pytest
import yaml

from hpc_components.testing._outcome import from_digest, from_events
from hpc_components.testing.engine import Engine, copy_project

SUBNET = "urn:pulumi:dev::hpc::hpc:aws:Vpc$aws:ec2/subnet:Subnet::subnet"


def test_a_copy_holds_the_program_and_the_stacks_and_runs_anywhere(tmp_path: Path) -> None:
    source = tmp_path / "source"
    for file in ("stacks/__main__.py", "stacks/config/Pulumi.dev.yaml", "stacks/__pycache__/x.pyc", "other/big.bin"):
        (source / file).parent.mkdir(parents=True, exist_ok=True)
        (source / file).touch()
    runtime = {"name": "python", "options": {"virtualenv": ".venv"}}
    project = {"name": "hpc", "runtime": runtime, "main": "stacks", "stackConfigDir": "stacks/config"}
    (source / "Pulumi.yaml").write_text(yaml.safe_dump(project))

    copy = copy_project(source, tmp_path / "copy")

    files = {file.relative_to(copy).as_posix() for file in copy.rglob("*") if file.is_file()}
    assert files == {"Pulumi.yaml", "stacks/__main__.py", "stacks/config/Pulumi.dev.yaml"}
    assert yaml.safe_load((copy / "Pulumi.yaml").read_text()) == project | {"runtime": "python"}


def test_every_installed_sdk_gets_a_stand_in_of_its_version(tmp_path: Path) -> None:
    from importlib.metadata import version

    Engine(tmp_path, tmp_path / "engine")
    plugin = (
        tmp_path / "engine" / "home" / "plugins" / f"resource-aws-v{version('pulumi-aws')}" / "pulumi-resource-aws"
    )
    assert os.access(plugin, os.X_OK)
    assert f"--version {version('pulumi-aws')}" in plugin.read_text()


def test_nothing_of_the_users_account_reaches_the_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "production")
    monkeypatch.setenv("PULUMI_ACCESS_TOKEN", "pul-123")
    cli = tmp_path / "bin" / "pulumi"
    cli.parent.mkdir()
    cli.write_text("#!/bin/sh\nenv\n")
    cli.chmod(0o755)
    monkeypatch.setenv("PATH", str(cli.parent), prepend=os.pathsep)

    seen = dict(line.partition("=")[::2] for line in Engine(tmp_path, tmp_path / "engine").pulumi("x").splitlines())

    assert not {"AWS_PROFILE", "PULUMI_ACCESS_TOKEN"} & seen.keys()
    assert seen["PULUMI_BACKEND_URL"] == (tmp_path / "engine" / "state").as_uri()


def test_a_digest_is_read_as_an_outcome() -> None:
    record = {"urn": SUBNET, "type": "aws:ec2/subnet:Subnet", "custom": True, "inputs": {"cidrBlock": "c"}}
    step = {"op": "replace", "urn": SUBNET, "newState": record, "diffReasons": ["cidrBlock", "tags"]}
    diagnostics = [{"message": "bad", "severity": "error"}, {"message": "hm", "severity": "warning"}]
    digest = {"steps": [step | {"replaceReasons": ["cidrBlock"]}], "diagnostics": diagnostics}

    outcome = from_digest(json.dumps(digest))

    (found,) = outcome.steps
    assert (found.type, found.name) == ("aws:ec2/subnet:Subnet", "subnet")
    assert (found.changed, found.forcing) == (("cidrBlock", "tags"), ("cidrBlock",))
    assert outcome.replaced == {SUBNET}
    assert outcome.errors == ("bad",)
    assert outcome.planned.resources[SUBNET].inputs == {"cidrBlock": "c"}
    assert from_digest("{}").changes == {}


def test_events_are_read_as_an_outcome() -> None:
    events = [
        {"resourcePreEvent": {"metadata": {"op": "same", "urn": SUBNET}}},
        {"resourcePreEvent": {"metadata": {"op": "update", "urn": SUBNET, "diffs": ["tags"]}}},
        {"diagnosticEvent": {"message": "no", "severity": "error"}},
    ]
    outcome = from_events(["not an event", *map(json.dumps, events)])
    assert outcome.changes == {"update": 1}
    assert outcome.of("update")[0].changed == ("tags",)
    assert outcome.errors == ("no",)
