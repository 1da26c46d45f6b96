"""Rules of containers by `srun --container-image`."""

import pytest

from .judged import problems, queue

PYXIS = {"pyxis": True}
OUT = {"cidr": "10.20.0.0/16", "nat": "one"}
IN = OUT | {"nat": "none"}
OWN = "ami-0123456789abcdef0"


@pytest.mark.parametrize(("network", "found"), [(IN, 1), (OUT, 0)])
def test_nodes_without_internet_need_images(network, found):
    assert len(problems("HPC-SFT-012", software=PYXIS, network=network)) == found
    assert not problems("HPC-SFT-012", software={"eessi": {}}, network=network)


def test_images_of_ones_own_may_contain_the_tools():
    head = {"machine": "c6i.xlarge", "image": OWN}
    nodes = {"software": PYXIS, "network": IN, "head_node": head}
    assert not problems("HPC-SFT-012", queues=[queue(image=OWN)], **nodes)
    (found,) = problems("HPC-SFT-012", queues=[queue(image=OWN), queue(name="other")], **nodes)
    assert found.places == (("queues", 1),)


def test_builds_at_each_boot_are_warned_of():
    assert problems("HPC-SFT-013", software=PYXIS)
    assert not problems("HPC-SFT-013", software=PYXIS, queues=[queue(image=OWN)])
    assert not problems("HPC-SFT-013", software={})


def test_another_file_of_plugins_would_hide_pyxis():
    settings = {"settings": {"plugstackconfig": "/etc/slurm/mine.conf"}}
    (found,) = problems("HPC-SFT-014", software=PYXIS, slurm=settings)
    assert found.path == ("slurm", "settings", "plugstackconfig")
    assert not problems("HPC-SFT-014", software={}, slurm=settings)
