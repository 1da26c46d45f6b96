"""NVIDIA's driver, installed by a recipe."""

import pytest

from hpc_components.aws.image_builder.args import image
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.catalog import driver_fixes, nvidia_drivers
from hpc_components.images.nodes import node_images
from tests.spec.rules.judged import cluster, paths, problems, queue

PLAIN = "/aws/service/canonical/ubuntu/server/24.04/stable/"


def gpu(machine: str = "p5.48xlarge", **changes):
    return queue(name="gpu", machine=machine, image="gpu", **changes)


def with_driver(branch: str = "580", machine: str = "p5.48xlarge", **changes):
    return {"images": {"gpu": {"nvidia_driver": branch}}, "queues": [gpu(machine)], **changes}


def test_base_is_the_public_image_without_a_driver():
    made = cluster(**with_driver())
    assert isinstance(made, AwsClusterSpec)
    assert PLAIN in image(made, "p5.48xlarge", "gpu")
    plain = cluster(images={"gpu": {}}, queues=[gpu()])
    assert isinstance(plain, AwsClusterSpec)
    assert "deeplearning" in image(plain, "p5.48xlarge", "gpu")
    (nodes,) = [each for each in node_images(made) if each.nodes == "queue gpu"]
    assert nodes.lacks == ()


def test_rules_about_the_driver_of_the_public_image_are_silent():
    storage = {"scratch": {"type": "lustre", "mount": "/fsx", "size": "1200GiB"}}
    for rule in ("HPC-OSI-006", "HPC-OSI-007", "HPC-OSI-008", "HPC-OSI-009", "HPC-OSI-025"):
        assert paths(rule, **with_driver(), storage=storage) == [], rule
    assert paths("HPC-OSI-009", images={"gpu": {}}, queues=[gpu()], storage=storage) == ["queues[0].machine"]


@pytest.mark.parametrize(("os", "branch", "remedy"), [
    ("ubuntu-24.04", "535", 'use nvidia_driver: "580" or "595"'),
    ("debian-13", "580", "remove nvidia_driver, and name a base that contains the driver"),
])  # fmt: skip
def test_branch_is_one_of_the_system_s_packages(os: str, branch: str, remedy: str):
    (problem,) = problems("HPC-IMG-010", **with_driver(branch, os=os, slurm={"version": "24.11"}))
    assert problem.remedy == remedy
    assert paths("HPC-IMG-010", **with_driver("595")) == []


@pytest.mark.parametrize(("machine", "why"), [
    ("c7i.4xlarge", "c7i.4xlarge has no NVIDIA GPUs"),
    ("trn1.32xlarge", "trn1.32xlarge has no NVIDIA GPUs"),
    ("p3dn.24xlarge", "the open kernel modules don't support V100"),
    ("p6-b200.48xlarge", "B200 also needs NVIDIA's subnet manager"),
])  # fmt: skip
def test_gpus_need_no_more_than_the_driver(machine: str, why: str):
    (problem,) = problems("HPC-IMG-011", **with_driver(machine=machine))
    assert why in problem.reason


@pytest.mark.parametrize("machine", ["p5.48xlarge", "p4d.24xlarge", "g6.xlarge"])
def test_driver_suffices_for_newer_gpus(machine: str):
    assert paths("HPC-IMG-011", **with_driver(machine=machine)) == []


def test_driver_for_arm_is_not_confirmed():
    assert paths("HPC-IMG-013", **with_driver(machine="g5g.4xlarge")) == ["queues[0].image"]
    assert paths("HPC-IMG-013", **with_driver()) == []


def test_versions_of_the_catalogue_have_all_known_fixes():
    for driver in nvidia_drivers.nvidia_drivers():
        assert driver_fixes.missing_fixes("nvidia", driver.version) == ()
