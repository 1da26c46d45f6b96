"""A description of a cluster on the toy cloud: what it means, and what is said of its mistakes."""

import json
from typing import Any

import pytest

from clouds.descriptions import PLAY, cluster_of, said_of
from clouds.running import hpc
from hpc_components.cloud import CLOUDS, cloud_named
from hpc_components.spec.findings import Level
from hpc_components.spec.rule import all_rules, rules_for
from hpc_components.spec.schema import json_schema
from hpc_components.spec.source import read_yaml
from hpc_components.spec.validate import judge

pytestmark = pytest.mark.usefixtures("toy")

QUEUE, HOME = PLAY["queues"][0], PLAY["storage"]["home"]
OURS = {"HPC-TOY-001", "HPC-TOY-002"}


def changed(key: str, **more: Any) -> dict[str, Any]:
    return {key: PLAY[key] | more}


def test_rules_of_every_cloud_hold_and_its_own() -> None:
    ids = {rule.id for rule in rules_for(cluster_of(PLAY))}
    others = [cloud_named(cloud).parts.model for cloud in CLOUDS if cloud != "toy"]
    theirs = {rule.id for rule in all_rules() if rule.model in others}
    everywhere = {rule.id for rule in all_rules()} - theirs - OURS
    assert ids == everywhere | OURS
    assert len(theirs) > 100
    assert len(everywhere) > 50


def test_without_the_toy_there_are_no_rules_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert {rule.id for rule in all_rules()} >= OURS
    monkeypatch.delitem(CLOUDS, "toy")
    assert not OURS & {rule.id for rule in all_rules()}


@pytest.mark.parametrize(
    ("parts", "id", "place"),
    [
        (changed("head_node", machine="pebbel-4"), "HPC-MCH-004", "head_node.machine"),
        ({"queues": [QUEUE | {"zones": ["reef-1-b"]}]}, "HPC-MCH-007", "queues[0].machine"),
        (changed("head_node", address="10.40.0.1"), "HPC-HED-002", "head_node.address"),
        (changed("head_node", address="10.40.255.254"), "HPC-HED-002", "head_node.address"),
        (changed("head_node", address="10.41.0.20"), "HPC-HED-002", "head_node.address"),
        ({"storage": {"home": HOME | {"mount": "/opt/toy/home"}}}, "HPC-MNT-002", "storage.home.mount"),
        ({"region": "reef-11"}, "HPC-MCH-001", "region"),
        ({"zone": "reef-1-q"}, "HPC-MCH-002", "zone"),
        ({"zone": "atoll-2-a"}, "HPC-MCH-002", "zone"),
        ({"queues": [QUEUE | {"zones": ["reef-1-a", "reef-1-a"]}]}, "HPC-MCH-003", "queues[0].zones[1]"),
        ({"queues": [QUEUE | {"min": 5, "max": 4}]}, "HPC-CAP-010", "queues[0].min"),
        ({"queues": [QUEUE | {"machine": "coral-192", "zones": ["reef-1-b"]}]}, "HPC-CAP-001", "queues[0].machine"),
        ({"buckets": {"data": {"type": "pond", "read_from": ["mpo"]}}}, "HPC-BKT-013", "buckets.data.read_from[0]"),
        ({"budget": {"monthly": 0, "notify": ["a@example.org"]}}, "HPC-BUD-001", "budget.monthly"),
        ({"budget": {"monthly": 9, "notify": ["somebody"]}}, "HPC-BUD-004", "budget.notify[0]"),
        ({"os": "debian-14"}, "HPC-OSI-001", "os"),
        ({"os": "centos-7"}, "HPC-OSI-002", "os"),
        ({"slurm": {"version": "25.11"}}, "HPC-OSI-003", "slurm.version"),
        (changed("head_node", efa=True), "HPC-FRM-001", "head_node.efa"),
        ({"iam": {}}, "HPC-FRM-001", "iam"),
        (changed("head_node", state={"size": "64GiB", "type": "gp3"}), "HPC-FRM-003", "head_node.state.type"),
        ({"queues": [QUEUE | {"purchase": {"capacity_block": "cr-1"}}]}, "HPC-FRM-003", "queues[0].purchase"),
        ({"tags": {"cluster-name": "x", "Cluster_Name": "y"}}, "HPC-TOY-001", "tags.Cluster_Name"),
        ({"tags": {"Project": "x", "project": "y"}}, "HPC-TOY-001", "tags.Project"),
    ],
)  # fmt: skip
def test_an_error_has_its_place(parts: dict[str, Any], id: str, place: str) -> None:
    found = said_of(**parts)
    assert (found[id].level, found[id].path) == (Level.ERROR, place)
    assert found[id].remedy


def test_a_warning_of_the_clouds_own_is_found() -> None:
    found = said_of(**changed("head_node", state={"size": "64GiB", "type": "slow"}))
    assert (found["HPC-TOY-002"].level, found["HPC-TOY-002"].path) == (Level.WARNING, "head_node.state.type")
    text = hpc("rules", "HPC-TOY-002").stdout
    assert text.startswith("HPC-TOY-002")
    assert "slurmctld writes it at every change of a job" in text


def test_addresses_that_the_cloud_keeps_are_counted_as_its_own() -> None:
    said = said_of(**changed("head_node", address="10.40.0.1"))["HPC-HED-002"]
    assert said.reason == "the toy cloud reserves the first 2 addresses and the last 2 in 10.40.0.0/16"


def test_all_nodes_are_in_the_one_subnet_of_the_region() -> None:
    cluster = cluster_of(PLAY)
    assert cluster.head_subnet == cluster.node_subnet("reef-1-a") == cluster.node_subnet("reef-1-b")
    there = {
        "pool": "pools/ours",
        "cidr": "10.0.0.0/8",
        "private": {"reef-1": {"id": "subnets/ours", "cidr": "10.7.0.0/16"}},
    }
    cluster = cluster_of(
        PLAY | {"network": {"existing": there}, "login_nodes": None} | changed("head_node", public=False)
    )
    assert str(cluster.node_subnet("reef-1-b")) == "10.7.0.0/16"


def test_the_command_says_the_line_of_a_finding() -> None:
    text = json.dumps({"config": {"hpc:cluster": PLAY | {"tags": {"Project": "x", "project": "y"}}}}, indent=1)
    line = 1 + next(number for number, each in enumerate(text.splitlines()) if '"Project"' in each)
    done = hpc("validate", "-", stdin=text)
    assert done.returncode == 1
    assert f":{line}:" in done.stdout.splitlines()[0]
    assert "both become the label project" in done.stdout


def test_a_misspelt_cloud_is_guessed() -> None:
    found = {each.id: each for each in judge(read_yaml("cloud: tyo\nname: play\n", "play")).findings}
    assert found["HPC-FRM-004"].remedy == "did you mean toy?"


def test_the_schema_has_all_clouds_and_tells_them_apart() -> None:
    schema = json_schema()
    cluster = schema["properties"]["config"]["properties"]["hpc:cluster"]
    named = {each["$ref"].rpartition("/")[2] for each in cluster["oneOf"]}
    assert named == {cloud_named(cloud).parts.model.__name__ for cloud in CLOUDS} >= {"ToyClusterSpec"}
    models = [each for each in schema["$defs"].values() if {"type", "write_from"} <= set(each.get("properties", ()))]
    models = [each for each in models if "const" in each["properties"]["type"]]
    kinds = {each["properties"]["type"]["const"]: set(each["properties"]) for each in models}
    assert "depth" in kinds["pond"]
    assert "archive" in kinds["s3"]
    assert "depth" not in kinds["s3"]
    (depth,) = (each["properties"]["depth"] for each in models if "depth" in each["properties"])
    assert depth["description"] == "How often it is read."


def test_the_schema_refers_to_nothing_that_it_lacks() -> None:
    schema = json_schema()
    text = json.dumps(schema)
    names = {each.partition('"')[0] for each in text.split('"#/$defs/')[1:]}
    assert names <= set(schema["$defs"])
    assert json.loads(hpc("schema").stdout) == schema


def test_a_cloud_without_a_price_list_says_so() -> None:
    done = hpc("catalog", "refresh", "--cloud", "toy", "--region", "reef-1")
    assert done.returncode == 2
    assert "the toy cloud doesn't publish a price list that can be fetched online" in done.stderr


def test_what_is_proposed_is_of_the_cloud() -> None:
    assert said_of(zone="reef-1-q")["HPC-MCH-002"].remedy == "use one of reef-1-a, reef-1-b"
    assert (
        said_of(region="reef-11")["HPC-MCH-001"].reason == "the catalogue lists no region 'reef-11' for the toy cloud"
    )
    assert "the pond:// or https:// address" in said_of(slurm={"version": "25.11"})["HPC-OSI-003"].remedy
