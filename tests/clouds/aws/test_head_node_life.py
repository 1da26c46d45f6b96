"""The steps of the real Pulumi engine for changes of a head node."""

from pathlib import Path

import pytest

from hpc_components.testing.engine import Engine, EngineError, Outcome, copy_project

pytestmark = pytest.mark.engine

PROGRAM = Path(__file__).parent / "head_node_program"


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    if not Engine.available():
        pytest.skip("no `pulumi` on PATH; install Pulumi's CLI to run the real engine")
    engine = Engine(copy_project(PROGRAM, tmp_path / "project"), tmp_path / "engine")
    engine.up("test")
    return engine


def kinds(outcome: Outcome, *ops: str) -> set[str]:
    return {step.type.rpartition(":")[2] for step in outcome.of(*ops)}


def order(outcome: Outcome) -> list[tuple[str, str]]:
    done = outcome.of("create-replacement", "delete-replaced")
    return [(step.op.partition("-")[0], step.type.rpartition(":")[2]) for step in done]


def changed(engine: Engine, key: str, value: str) -> Outcome:
    engine.config_set("test", f"head:{key}", value)
    outcome = engine.up("test")
    engine.preview("test", expect_no_changes=True)
    return outcome


def test_only_some_changes_replace_the_head_node(engine: Engine) -> None:
    before = engine.outputs("test")

    tags = changed(engine, "project", "rotor")
    assert tags.replaced == frozenset()
    assert {"Instance", "LaunchTemplate", "Volume"} <= kinds(tags, "update")

    assert kinds(changed(engine, "user-data", "#!/bin/sh\n"), "update", "replace") == {"LaunchTemplate"}

    machine = changed(engine, "machine", "c6i.2xlarge")
    assert machine.replaced == frozenset()
    assert kinds(machine, "update") == {"Instance", "SlurmHeadNode"}

    # the old node releases the volume and then the address before the new one is created
    assert order(changed(engine, "image", "ami-0123456789abcdef0")) == [
        ("create", "LaunchTemplate"),
        ("delete", "VolumeAttachment"),
        ("delete", "Instance"),
        ("create", "Instance"),
        ("create", "VolumeAttachment"),
        ("delete", "LaunchTemplate"),
    ]
    assert engine.outputs("test") == before, "address and state volume are those of before"


def test_the_state_volume_outlives_the_stack(engine: Engine) -> None:
    volume = str(engine.outputs("test")["volume"])
    with pytest.raises(EngineError, match="protected"):
        engine.destroy("test")
    engine.unprotect("test")
    engine.destroy("test")
    assert engine.export("test").resources == {}
    assert volume in {thing.id for thing in engine.cloud.things("aws:ebs/volume:Volume")}
