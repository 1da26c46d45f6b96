"""The prices that the daemon gets, made from the description."""

import json
from decimal import Decimal
from pathlib import Path

import pytest
import yaml

from hpc_components.elastic.config import load_config
from hpc_components.elastic.ledger.prices import read_prices
from hpc_components.slurm import prices_json as prices_json_module
from hpc_components.slurm.elastic_json import elastic_json
from hpc_components.slurm.prices_json import prices_json
from hpc_components.spec.load import load_cluster

STACKS = sorted((Path(__file__).parents[2] / "stacks/config").glob("Pulumi.*.yaml"))


def described(name, **changes):
    (path,) = (each for each in STACKS if each.name == f"Pulumi.{name}.yaml")
    return load_cluster({**yaml.safe_load(path.read_text())["config"]["hpc:cluster"], **changes})


@pytest.mark.parametrize("path", STACKS, ids=lambda path: path.name.split(".")[1])
def test_every_pool_of_the_daemon_has_its_entry(path):
    cluster = load_cluster(yaml.safe_load(path.read_text())["config"]["hpc:cluster"])
    prices = read_prices(prices_json(cluster))
    pools = [pool for queue in load_config(elastic_json(cluster)).queues for pool in queue.pools]
    assert list(prices.machines) == pools
    for pool, price in prices.machines.items():
        assert price.usd_per_hour is None or Decimal(price.usd_per_hour) > prices.disks[pool] >= 0
        assert price.source


def test_root_disks_are_part_of_a_price():
    (price,) = json.loads(prices_json(described("azure-hbv4")))["machines"][:1]
    assert (price["usd_per_hour"], price["disks_usd_per_hour"]) == ("7.227", "0.027")


def test_an_unknown_price_is_null_and_says_so():
    prices = json.loads(prices_json(described("azure-university")))["machines"]
    unknown = {(each["usd_per_hour"], each["source"]) for each in prices if each["machine"] == "Standard_D96s_v5"}
    assert unknown == {(None, "no price in the catalogue")}


def test_rates_of_the_own_contract_replace_list_prices():
    prices = json.loads(prices_json(described("aws-university", billing={"rates": {"m7i.48xlarge": 1.5}})))
    (own,) = (each for each in prices["machines"] if each["machine"] == "m7i.48xlarge")
    assert (own["usd_per_hour"], own["basis"]) == ("1.507013699", "contract")


def test_a_rate_of_the_own_contract_for_the_head_node_is_no_list_price():
    rates = {"m7i.48xlarge": 2.9, "m7i.2xlarge": 1}
    prices = json.loads(prices_json(described("aws-university", billing={"rates": rates})))
    bases = {each["what"]: each["basis"] for each in prices["services"]}
    assert (bases["head node"], bases["login nodes"]) == ("contract", "list")


def test_what_always_exists_is_a_service():
    services = {each["what"]: each for each in json.loads(prices_json(described("aws-university")))["services"]}
    assert {what: each["group"] for what, each in services.items()} == {
        "head node": "head",
        "login nodes": "login",
        "NAT": "network",
        "file system scratch": "storage",
        "file system home": "storage",
    }
    assert "(us-east-1, not eu-north-1)" in services["NAT"]["source"]


def test_a_root_disk_without_a_price_is_told(monkeypatch):
    monkeypatch.setattr(prices_json_module, "service_price", lambda *_: None)
    (price,) = json.loads(prices_json(described("azure-hbv4")))["machines"][:1]
    assert (price["usd_per_hour"], price["disks_usd_per_hour"]) == ("7.2", "0")
    assert price["source"].endswith("; root disk not counted, because its price is unknown")
