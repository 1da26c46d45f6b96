import copy
import json
import re

import pytest

from hpc_components.elastic.config import BudgetConfig, ConfigError, load_config
from hpc_components.elastic.model import Pool
from hpc_components.slurm.elastic_json import COOLDOWN_SECONDS
from hpc_components.spec.slurm.models import Slurm

GOOD = {
    "version": 1,
    "cluster": "cfd",
    "cloud": "aws",
    "region": "us-east-2",
    "config": "cfd-config-1a2b3c",
    "boot_timeout": 300,
    "cooldown": 60.5,
    "queues": [
        {
            "name": "compute-queue",
            "max": 16,
            "min": 2,
            "placement": "cluster",
            "pools": [
                {"machine": "hpc6a.48xlarge", "zone": "use2-az2", "purchase": "on_demand"},
                {"machine": "c6i.32xlarge", "zone": "use2-az2", "purchase": "spot"},
            ],
        },
        {"name": "gpu", "max": 0, "pools": [{"machine": "p5.48xlarge", "zone": "use2-az1"}]},
    ],
}


def test_a_document_becomes_values():
    config = load_config(json.dumps(GOOD))
    queue = config.by_name["compute-queue"]
    assert (config.cluster, config.cloud, config.region) == ("cfd", "aws", "us-east-2")
    assert config.config == "cfd-config-1a2b3c"
    assert (config.boot_timeout, config.cooldown) == (300.0, 60.5)
    assert queue.pools[1] == Pool(queue="compute-queue", machine="c6i.32xlarge", zone="use2-az2", purchase="spot")
    assert queue.kept == ("compute-queue-1", "compute-queue-2")
    assert len(queue.nodes) == 16
    assert "compute-queue-16" in queue.nodes
    gpu = config.by_name["gpu"]
    assert (gpu.min, gpu.nodes, gpu.pools[0].purchase) == (0, frozenset(), "on_demand")


def test_omitted_times_have_the_defaults_of_a_description():
    document = {key: value for key, value in GOOD.items() if key not in ("boot_timeout", "cooldown")}
    config = load_config(json.dumps(document))
    assert (config.boot_timeout, config.cooldown) == (Slurm().boot_time.seconds, COOLDOWN_SECONDS)


def test_a_cluster_may_have_capitals():
    assert load_config(json.dumps({**GOOD, "cluster": "CFD"})).cluster == "CFD"


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("version",), 2, "version: 2 is not supported (expected 1)"),
        (("version",), "1", "version: '1' is not a whole number"),
        (("cluster",), None, "cluster: missing"),
        (
            ("cluster",),
            "Big One",
            "cluster: 'Big One' must begin with a letter and contain only letters, digits and hyphens",
        ),
        (("cloud",), None, "cloud: missing"),
        (("cooldown",), 0, "cooldown: 0 must be a positive number of seconds"),
        (("cooldown",), True, "cooldown: True must be a positive number of seconds"),
        (("boot_timeout",), "10m", "boot_timeout: '10m' must be a positive number of seconds"),
        (("regoin",), "x", "regoin: unknown key"),
        (("queues",), None, "queues: missing"),
        (("queues",), {}, "queues: {} is not a list"),
        (("queues", 0), 5, "queues[0]: 5 is not an object"),
        (("queues", 1, "name"), "compute-queue", "queues[1].name: 'compute-queue' is a duplicate"),
        (("queues", 0, "max"), -1, "queues[0].max: -1 must be a non-negative whole number"),
        (("queues", 0, "max"), True, "queues[0].max: True must be a non-negative whole number"),
        (("queues", 0, "min"), 17, "queues[0].min: 17 is more than max (16)"),
        (("queues", 0, "pools"), [], "queues[0].pools: the list is empty"),
        (("queues", 0, "minimum"), 1, "queues[0].minimum: unknown key"),
        (("queues", 0, "pools", 1, "zone"), None, "queues[0].pools[1].zone: missing"),
        (
            ("queues", 0, "pools", 1, "purchase"),
            "on demand",
            "queues[0].pools[1].purchase: 'on demand' must begin with a lowercase letter and contain only "
            "lowercase letters and underscores",
        ),
        (("queues", 0, "pools", 0, "machine"), 6, "queues[0].pools[0].machine: 6 is not a text"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(path, value, words):
    document = copy.deepcopy(GOOD)
    at = document
    for key in path[:-1]:
        at = at[key]
    if value is None:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    with pytest.raises(ConfigError) as caught:
        load_config(json.dumps(document))
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize("text", ["", "{", "[]", '"x"'])
def test_what_is_no_document_is_refused(text):
    with pytest.raises(ConfigError):
        load_config(text)


def test_a_budget_is_read_exactly():
    budget = {"monthly_usd": "60000.01", "stop_launches": True, "alert_at": [100, 80], "webhook": True}
    config = load_config(json.dumps({**GOOD, "budget": budget}))
    expected = BudgetConfig(monthly=60_000_010_000_000, stop_launches=True, alert_at=(80, 100), webhook=True)
    assert config.budget == expected
    assert load_config(json.dumps(GOOD)).budget is None


@pytest.mark.parametrize(
    ("budget", "words"),
    [
        ({}, "budget.monthly_usd: missing"),
        ({"monthly_usd": 60000}, "budget.monthly_usd: 60000 must be a positive amount with at most nine decimals"),
        ({"monthly_usd": "0"}, "budget.monthly_usd: '0' must be a positive amount"),
        ({"monthly_usd": "NaN"}, "budget.monthly_usd: 'NaN' must be a positive amount"),
        ({"monthly_usd": "0.0000000001"}, "must be a positive amount with at most nine decimals"),
        ({"monthly_usd": "1", "stop_launches": 1}, "budget.stop_launches: 1 must be true or false"),
        (
            {"monthly_usd": "1", "alert_at": ["80"]},
            "budget.alert_at: ['80'] must be a list of positive whole numbers",
        ),
        ({"monthly_usd": "1", "yearly": 1}, "budget.yearly: unknown key"),
        (7, "budget: 7 is not an object"),
    ],
)
def test_a_wrong_budget_names_its_key(budget, words):
    with pytest.raises(ConfigError, match=re.escape(words)):
        load_config(json.dumps({**GOOD, "budget": budget}))
