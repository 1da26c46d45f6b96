"""What Slurm counts of a queue's nodes."""

import pytest

from hpc_components.aws.fleet.model import AwsQueue
from hpc_components.catalog import gpu_devices, machine
from hpc_components.spec import Mps, Shards
from hpc_components.spec.slurm.tres import Gpus, counted_gres, gpu_shares, gpus_of

NVIDIA = gpu_devices("NVIDIA")
assert NVIDIA is not None


def test_gpus_and_their_shares_are_counted_once() -> None:
    l4 = Gpus(type="l4", count=8, devices=NVIDIA, shares=("shard", 4))
    h100 = Gpus(type="h100", count=8, devices=NVIDIA, shares=None)
    assert l4.gres == {"gpu:l4": 8, "shard": 32}
    assert counted_gres([h100, None, l4, h100]) == ("gres/gpu", "gres/gpu:h100", "gres/gpu:l4", "gres/shard")
    assert counted_gres([None]) == ()


@pytest.mark.parametrize(
    ("sharing", "shares"), [(None, None), (Shards(shards=4), ("shard", 4)), (Mps(mps=100), ("mps", 100))]
)
def test_shares_of_a_queue(sharing, shares) -> None:
    queue = AwsQueue(name="gpu", machine="g6.12xlarge", max=1, gpu_sharing=sharing)
    assert gpu_shares(queue) == shares
    found = machine("aws", "g6.12xlarge")
    assert found is not None
    assert gpus_of(queue, found) == Gpus(type="l4", count=4, devices=NVIDIA, shares=shares)


def test_a_machine_without_gpus_has_no_gres() -> None:
    found = machine("aws", "c7i.4xlarge")
    assert found is not None
    assert gpus_of(AwsQueue(name="cpu", machine="c7i.4xlarge", max=1), found) is None
