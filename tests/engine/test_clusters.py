"""One program with two clusters, one of them under a component, in the real engine."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from clouds.test_cluster import DESCRIPTIONS

from engine.clouds import life_on, stays
from hpc_components.testing.engine import Engine

pytestmark = pytest.mark.engine


@pytest.mark.parametrize("cloud", DESCRIPTIONS)
def test_two_clusters_of_one_program_live_from_up_to_destroy(
    cloud: str, engine_for: Callable[[Path], Engine]
) -> None:
    engine = engine_for(Path(__file__).parent / "clusters")
    engine.config_set("dev", "cloud", cloud)
    engine.config_set("dev", "description", json.dumps(DESCRIPTIONS[cloud]))
    made = engine.up("dev")
    clusters = [step for step in made.of("create") if step.type == f"hpc:{cloud}:Cluster"]
    assert {step.name for step in clusters} == {"one", "two"}
    heads = [step.name for step in made.of("create") if step.type == f"hpc:{cloud}:SlurmHeadNode"]
    assert sorted(heads) == ["one-head", "two-head"]
    engine.preview("dev", expect_no_changes=True)
    state, life = engine.export("dev"), life_on(cloud)
    retained = {each.urn for each in state if stays(each, state, life)}
    engine.destroy("dev")
    assert len(engine.export("dev")) == 0
    assert {thing.urn for thing in engine.cloud.things() if thing.urn} == retained
