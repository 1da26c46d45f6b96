import pytest

from ...rules.judged import paths, problems, queue


@pytest.mark.parametrize(
    ("weights", "right"),
    [
        ("CPU=1.0,Mem=0.25G", True), ("cpu=1", True), ("MEM=.5g", True), ("CPU=1e2", True), ("Node=0", True),
        ("CPU:1.0", False), ("CPU=", False), ("=1", False), ("CPU=one", False), ("CPU=1.0X", False),
        ("CPUs=1.0", False), ("GRES/gpu=2.0", False), ("CPU=1.0, Mem=1", False), ("", False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("key", ["TRESBillingWeights", "PriorityWeightTRES"])
def test_weights_of_resources_must_be_right(key, weights, right):
    described = {"queues": [queue(slurm={key: weights})]}
    if key == "PriorityWeightTRES":
        described = {"slurm": {"settings": {key: weights}}}
    assert bool(paths("HPC-SLM-034", **described)) is not right


@pytest.mark.parametrize(
    ("type", "right"), [("GRES/gpu", True), ("gres/gpu:l4", True), ("gres/gpu:h100", False), ("gres/shard", False)]
)
def test_gpus_are_those_of_the_cluster(type, right):
    gpus = queue(name="gpu", machine="g6.12xlarge", slurm={"TRESBillingWeights": f"{type}=2"})
    assert bool(paths("HPC-SLM-034", queues=[queue(), gpus], slurm={"accounting": {}})) is not right


def test_gpus_are_counted_with_accounting_only():
    gpus = queue(name="gpu", machine="g6.12xlarge", slurm={"TRESBillingWeights": "GRES/gpu=2"})
    (problem,) = problems("HPC-SLM-034", queues=[gpus])
    assert "does not start" in problem.reason
    assert "slurm.accounting" in problem.remedy


def test_licenses_are_counted_where_slurm_is_told_of_them():
    weighed = queue(slurm={"TRESBillingWeights": "CPU=1,License/fluent=2"})
    told = {"accounting": {}, "settings": {"AccountingStorageTRES": "license/fluent", "Licenses": "fluent:5"}}
    assert not paths("HPC-SLM-034", queues=[weighed], slurm=told)
    assert not paths("HPC-SLM-034", queues=[weighed], slurm={"accounting": {}, "settings": {"Licenses": "fluent:5"}})
    assert paths("HPC-SLM-034", queues=[weighed], slurm={"accounting": {}})


def test_what_was_meant_is_proposed():
    (problem,) = problems("HPC-SLM-034", queues=[queue(slurm={"TRESBillingWeights": "CPUs=1"})])
    assert problem.remedy == "did you mean cpu?"
