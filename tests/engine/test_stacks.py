"""Every stack of this project through its life, with the real engine.

Set HPC_ENGINE_SEED to the seed that a failing test printed to let the same resource fail again.
"""

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from stack_recordings import recorded

from engine.clouds import life_on, stays
from engine.graphs import differences
from hpc_components.cloud import cloud_named
from hpc_components.preview.record import Recording
from hpc_components.testing.engine import Engine, EngineError
from hpc_components.testing.facts import stand_in_of

pytestmark = pytest.mark.engine

ROOT = Path(__file__).parents[2]
KEY = "hpc:cluster"


def config_of(stack: str) -> dict[str, Any]:
    text = (ROOT / "stacks" / "config" / f"Pulumi.{stack}.yaml").read_text(encoding="utf-8")
    return yaml.safe_load(text)["config"]


def stacks() -> list[str]:
    files = (ROOT / "stacks" / "config").glob("Pulumi.*.yaml")
    return sorted(file.name.removeprefix("Pulumi.").removesuffix(".yaml") for file in files)


every_stack = pytest.mark.parametrize("stack", stacks())


def cloud_of(stack: str) -> str:
    return config_of(stack)[KEY]["cloud"]


def package_of(stack: str) -> str:
    """Name of the provider's package."""
    return cloud_named(cloud_of(stack)).pulumi_package


@pytest.fixture
def engine(engine_for: Callable[[Path], Engine]) -> Engine:
    return engine_for(ROOT)


def test_there_are_stacks_of_every_cloud() -> None:
    assert {cloud_of(stack) for stack in stacks()} == {"aws", "azure", "gcp"}


@every_stack
def test_the_stand_in_knows_every_type(stack: str) -> None:
    package = package_of(stack)
    used = {resource.type for resource in recorded(stack).resources if resource.type.startswith(f"{package}:")}
    assert used
    assert used - stand_in_of(package).types().keys() == set()


@every_stack
def test_a_stack_lives_from_up_to_destroy(engine: Engine, stack: str) -> None:
    recording, package, life = recorded(stack), package_of(stack), life_on(cloud_of(stack))
    fails_to_create(engine, recording, package)
    with pytest.raises(EngineError, match="the stand-in cloud refused the request"):
        engine.up(stack)

    engine.up(stack)
    engine.preview(stack, expect_no_changes=True)
    assert differences(recording, engine.export(stack)) == []

    queue = config_of(stack)[KEY]["queues"][0]
    engine.config_set(stack, f"{KEY}.queues[0].max", str(queue["max"] + 1), path=True)
    changed = engine.preview(stack)
    touched = {step.type for step in changed.of("update", "replace") if step.type.startswith(f"{package}:")}
    assert touched == {life.file}
    assert bool(changed.replaced) == life.file_is_replaced
    assert {urn.split("::")[2].rpartition("$")[2] for urn in changed.replaced} <= touched
    assert not changed.of("create", "delete")


@every_stack
def test_the_recorder_sees_what_a_preview_sees(engine: Engine, stack: str) -> None:
    assert differences(recorded(stack), engine.preview(stack).planned) == []


@every_stack
def test_a_destroy_leaves_what_is_to_be_retained_and_nothing_else(engine: Engine, stack: str) -> None:
    life, cluster = life_on(cloud_of(stack)), config_of(stack)[KEY]["name"]
    engine.up(stack)
    state = engine.export(stack)
    life.run_elastic(engine, state, cluster)
    logs, others = life.write_logs(engine, state), life.run_others(engine, cluster)
    retained = [resource for resource in state if stays(resource, state, life)]

    engine.unprotect(stack)
    engine.destroy(stack)

    assert len(engine.export(stack)) == 0
    left = engine.cloud.things()
    assert {thing.urn for thing in left if thing.urn} == {resource.urn for resource in retained}
    kept = {log for log, bucket in logs.items() if bucket in retained}
    assert {thing.id for thing in left if thing.urn is None} == {*others, *kept}


def fails_to_create(engine: Engine, recording: Recording, package: str) -> None:
    """Let the first resource of some type fail; which one, the printed seed decides."""
    seed = int(os.environ.get("HPC_ENGINE_SEED") or random.randrange(10**6))
    types = sorted({resource.type for resource in recording.resources if resource.type.startswith(f"{package}:")})
    unlucky = random.Random(seed).choice(types)
    print(f"HPC_ENGINE_SEED={seed}: creating a {unlucky} fails")
    engine.cloud.fail_once(unlucky)
