import pytest

from hpc_components.spec.source import Document
from hpc_components.spec.validate import judge

from ...rules.judged import paths, problems, queue


def gpus(sharing, **changes):
    return [queue(machine="g6.48xlarge", gpu_sharing=sharing, **changes)]


@pytest.mark.parametrize("sharing", [{"shards": 4}, {"mps": 100}])
def test_gpu_sharing_needs_a_machine_with_gpus(sharing):
    assert not paths("HPC-GPU-001", queues=gpus(sharing))
    assert paths("HPC-GPU-001", queues=[queue(gpu_sharing=sharing)]) == ["queues[0].gpu_sharing"]
    assert paths("HPC-GPU-001", queues=gpus(sharing, fallback=["c7i.48xlarge"]))


def test_trainium_is_no_gpu():
    (problem,) = problems("HPC-GPU-001", queues=[queue(machine="trn1.32xlarge", gpu_sharing={"shards": 4})])
    assert "trn1.32xlarge" in problem.reason


@pytest.mark.parametrize(("kind", "most"), [("shards", 64), ("mps", 100)])
def test_the_number_of_shares_has_bounds(kind, most):
    for number in (2, most):
        assert not paths("HPC-GPU-002", queues=gpus({kind: number}))
    for number in (-1, 0, 1, most + 1):
        assert paths("HPC-GPU-002", queues=gpus({kind: number})) == [f"queues[0].gpu_sharing.{kind}"]


def test_shards_must_fit_into_gpu_memory():
    (problem,) = problems("HPC-GPU-003", queues=gpus({"shards": 23}))
    assert problem.remedy == "use at most 22"
    assert not paths("HPC-GPU-003", queues=gpus({"shards": 22}))
    assert not paths("HPC-GPU-003", queues=gpus({"shards": 0}))
    assert not paths("HPC-GPU-003", queues=gpus({"mps": 100}))


def test_a_cluster_shares_gpus_in_one_way():
    shards, mps = gpus({"shards": 4}), gpus({"mps": 100}, name="other")
    assert paths("HPC-GPU-004", queues=[queue(), *shards, *mps]) == ["queues[2].gpu_sharing"]
    assert not paths("HPC-GPU-004", queues=[*shards, *gpus({"shards": 2}, name="other")])


def test_nobody_starts_the_server_of_mps():
    assert paths("HPC-GPU-006", queues=gpus({"mps": 100})) == ["queues[0].gpu_sharing"]
    assert not paths("HPC-GPU-006", queues=gpus({"mps": 100}, image="ami-0123456789abcdef0"))
    assert not paths("HPC-GPU-006", queues=gpus({"shards": 4}))


def test_mps_is_of_one_maker_of_gpus():
    described = {
        "cloud": "azure",
        "name": "cfd",
        "region": "francecentral",
        "zone": "francecentral-1",
        "network": {"cidr": "10.20.0.0/16"},
        "head_node": {"machine": "Standard_D4s_v5"},
        "queues": [
            {"name": "gpu", "machine": "Standard_ND96isr_MI300X_v5", "max": 2, "gpu_sharing": {"mps": 100}},
        ],
    }
    found = judge(Document("f.yaml", described)).findings
    (finding,) = (one for one in found if one.id == "HPC-GPU-006")
    assert "GPUs, but this queue's GPUs are from AMD" in finding.reason
    assert "nvidia" not in finding.remedy
