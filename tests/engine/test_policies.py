"""The policy pack in the real engine: what stops a preview, what is told, what is silenced."""

import re
from pathlib import Path

import pytest
import yaml

from hpc_components.policy import PACK
from hpc_components.testing.engine import Engine, EngineError, copy_project

pytestmark = pytest.mark.engine

ROOT = Path(__file__).parent.parent.parent


def preview(engine: Engine, stack: str) -> str:
    engine.pulumi("stack", "select", stack, "--create", "--secrets-provider", "passphrase")
    return engine.pulumi("preview", "--stack", stack, "--policy-pack", str(PACK))


def test_warnings_are_told_with_the_resource(sample: Engine) -> None:
    text = preview(sample, "dev")
    assert "[advisory]  HPC-PLN-005  (aws:ec2:Instance: instance)" in text
    assert "[advisory]  HPC-PLN-004  (aws:fsx:LustreFileSystem: scratch)" in text
    assert "[mandatory]" not in text


def test_an_error_stops_the_preview(sample: Engine) -> None:
    program = sample.project_dir / "__main__.py"
    rules = [{"protocol": "tcp", "from_port": 2049, "to_port": 2049, "cidr_blocks": ["0.0.0.0/0"]}]
    program.write_text(
        program.read_text(encoding="utf-8") + f'\naws.ec2.SecurityGroup("nfs", vpc_id=vpc.id, ingress={rules})\n',
        encoding="utf-8",
    )
    with pytest.raises(EngineError) as stopped:
        preview(sample, "dev")
    # the engine interrupts the program, whose traceback may come last
    assert re.search(
        r"HPC-PLN-002[\s\S]*NFS can be reached from the whole internet \(0\.0\.0\.0/0\)", stopped.value.output
    )


def test_our_own_cluster_has_no_violation_and_its_silence_counts(tmp_path: Path) -> None:
    if not Engine.available():
        pytest.skip("no `pulumi` on PATH; install Pulumi's CLI to run the real engine")
    engine = Engine(copy_project(ROOT, tmp_path / "project"), tmp_path / "engine")
    assert "HPC-PLN-" not in preview(engine, "aws-cfd")

    file = engine.project_dir / "stacks" / "config" / "Pulumi.aws-cfd.yaml"
    text = yaml.safe_load(file.read_text(encoding="utf-8"))
    cluster = text["config"]["hpc:cluster"]
    cluster["network"]["ssh_from"] = ["0.0.0.0/0"]
    cluster["head_node"]["public"] = True
    file.write_text(yaml.safe_dump(text), encoding="utf-8")
    assert "HPC-PLN-001  (aws:vpc:SecurityGroupIngressRule" in preview(engine, "aws-cfd")

    cluster["silence"] = {"HPC-NET-004": "a honeypot"}
    file.write_text(yaml.safe_dump(text), encoding="utf-8")
    assert "HPC-PLN-" not in preview(engine, "aws-cfd")
