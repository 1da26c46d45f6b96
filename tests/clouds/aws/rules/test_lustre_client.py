from hpc_components.catalog.kernels import is_newer
from hpc_components.spec.findings import Level
from tests.spec.rules.judged import levels, paths, problems, queue

AMI = "ami-0123456789abcdef0"
SCRATCH = {"scratch": {"type": "lustre", "mount": "/fsx", "size": "1.2TiB"}}
HOME = {"home": {"type": "nfs", "mount": "/home", "size": "1TiB"}}
GPU = [queue(machine="g6.4xlarge")]
FAST = {
    "scratch": {
        "type": "lustre", "mount": "/fsx", "size": "4800GiB",
        "deployment": "persistent_2", "throughput": 1000, "efa": True,
    }
}  # fmt: skip


def test_kernel_versions_are_compared_as_numbers():
    assert is_newer("7.0", "6.17")
    assert is_newer("6.17", "6.8")
    assert not is_newer("6.17", "6.17")


def test_the_public_image_for_gpus_is_newer_than_the_client():
    (problem,) = problems("HPC-OSI-009", queues=GPU, storage=SCRATCH)
    assert "used by queue cpu, probably has kernel 7.0" in problem.reason
    assert "supports kernels only up to 6.17" in problem.reason
    assert "--region us-east-2 --owners amazon --filters 'Name=name,Values=Deep Learning Base" in problem.remedy
    assert "(Ubuntu 24.04) 2026071*'" in problem.remedy
    assert levels("HPC-OSI-009", queues=GPU, storage=SCRATCH) == [Level.ERROR]


def test_an_image_with_a_lustre_client_is_accepted():
    assert not paths("HPC-OSI-009", storage=SCRATCH)
    assert not paths("HPC-OSI-009", queues=GPU, storage=HOME)
    assert not paths("HPC-OSI-009", queues=[queue(machine="g6.4xlarge", image=AMI)], storage=SCRATCH)
    assert not paths("HPC-OSI-009", os="ubuntu-22.04", queues=GPU, storage=SCRATCH)


def test_lustre_over_efa_wants_an_image():
    fast = {"machine": "p5.48xlarge", "name": "gpu"}
    (problem,) = problems("HPC-FSX-025", queues=[queue(**fast)], storage=FAST)
    assert problem.reason.startswith("queue gpu uses AWS's public image")
    assert problem.reason.endswith("over TCP")
    assert not paths("HPC-FSX-025", queues=[queue(**fast, image=AMI), queue()], storage=FAST)
    assert not paths("HPC-FSX-025", queues=[queue(**fast)], storage=SCRATCH)
    (problem,) = problems("HPC-FSX-025", storage=FAST)
    assert problem.reason == "no queue has EFA, so nodes reach the file system over TCP"
