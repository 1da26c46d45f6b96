from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from hpc_components.slurm import slurm_files
from tests.slurm.described import cluster, keys, line, queue

LAB = {"accounting": {"accounts": {"lab": {"users": ["ada"], "budget": {"monthly": 100}}}}}
GPUS = queue(name="gpu", machine="g6.48xlarge", gpu_sharing={"shards": 4}, slurm={"DefaultTime": "60"})


def weights(text: str, name: str) -> dict[str, Decimal]:
    found = line(text, "PartitionName", name)["TRESBillingWeights"]
    return {key: Decimal(value) for key, value in (part.split("=") for part in found.split(","))}


@given(st.decimals("0.2", "500", places=3))
def test_each_resource_of_a_whole_node_costs_the_node(rate: Decimal) -> None:
    text = slurm_files(cluster(GPUS, slurm=LAB, billing={"rates": {"g6.48xlarge": float(rate)}}))["slurm.conf"]
    has = line(text, "NodeName", "gpu-[1-2]")
    counts = {"CPU": int(has["CPUs"]), "Mem": int(has["RealMemory"]), "GRES/gpu": 8, "GRES/shard": 32}
    price = rate * 10**6 / 60
    found = weights(text, "gpu")
    assert found.keys() == counts.keys()
    for name, weight in found.items():
        assert 0 <= weight * counts[name] - price < 1


def test_a_queue_counts_at_its_dearest_machine() -> None:
    both = queue(machine="c7i.large", fallback=["m7i.large"], slurm={"DefaultTime": "60"})
    text = slurm_files(cluster(both, slurm=LAB, billing={"rates": {"c7i.large": 1, "m7i.large": 6}}))["slurm.conf"]
    assert weights(text, "cpu")["CPU"] == 50_000


def test_slurm_neither_resets_nor_forgets_usage_that_budgets_need() -> None:
    total = {"accounting": {"accounts": {"lab": {"budget": {"total": 100}}}}}
    monthly, once, none = (
        keys(slurm_files(cluster(GPUS, slurm=slurm))["slurm.conf"]) for slurm in (LAB, total, {"accounting": {}})
    )
    assert monthly["PriorityUsageResetPeriod"] == once["PriorityUsageResetPeriod"] == "NONE"
    assert monthly["PriorityDecayHalfLife"] == once["PriorityDecayHalfLife"] == "0"
    assert not {"PriorityUsageResetPeriod", "PriorityDecayHalfLife", "PriorityFlags"} & none.keys()


def test_jobs_end_at_the_limit_only_if_described() -> None:
    ends = {"accounting": LAB["accounting"] | {"at_limit": "end"}}
    finish, end = (keys(slurm_files(cluster(GPUS, slurm=slurm))["slurm.conf"]) for slurm in (LAB, ends))
    assert finish["AccountingStorageEnforce"] == "associations,limits,qos,safe"
    assert end["AccountingStorageEnforce"] == "associations,limits,qos"
