"""What Slurm is told of a queue's nodes."""

from dataclasses import replace

import pytest

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.catalog import gpu_devices, machine, real_memory_mib
from hpc_components.slurm import slurm_files
from hpc_components.slurm.gres_conf import gres_conf
from hpc_components.slurm.queue_nodes import queue_nodes
from tests.slurm.described import cluster, line, queue


def node(**changes):
    return line(slurm_files(cluster(queue(**changes)))["slurm.conf"], "NodeName", f"cpu-[1-{changes.get('max', 2)}]")


def partition(**changes):
    return line(slurm_files(cluster(queue(**changes)))["slurm.conf"], "PartitionName", "cpu")


def shape(found):
    return tuple(int(found[key]) for key in ("CPUs", "Sockets", "CoresPerSocket", "ThreadsPerCore"))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"machine": "c7i.48xlarge"}, (192, 2, 48, 2)),
        ({"machine": "c7i.48xlarge", "smt": False}, (96, 2, 48, 1)),
        ({"machine": "hpc6a.48xlarge"}, (96, 2, 48, 1)),
        ({"machine": "c7i.large"}, (2, 1, 1, 2)),
        ({"machine": "c7i.large", "smt": False}, (1, 1, 1, 1)),
        # the smallest machine counts, whichever it is
        ({"machine": "c7i.48xlarge", "fallback": ["c7i.24xlarge"], "fabric": False}, (96, 1, 48, 2)),
        ({"machine": "c7i.24xlarge", "fallback": ["c7i.48xlarge"], "fabric": False}, (96, 1, 48, 2)),
        # as many CPUs, but half the cores: as many cores as the one has, and threads as on it
        ({"machine": "c7a.48xlarge", "fallback": ["c7i.48xlarge"], "fabric": False}, (192, 2, 48, 2)),
        # neither more cores nor more CPUs than any of them
        ({"machine": "c7a.16xlarge", "fallback": ["c7i.24xlarge"], "fabric": False}, (48, 1, 48, 1)),
    ],
)
def test_a_node_has_the_shape_of_its_machine(changes, expected):
    assert shape(node(**changes)) == expected


def test_memory_is_the_least_of_all_machines():
    found = node(machine="m7i.48xlarge", fallback=["c7i.48xlarge"], fabric=False)
    assert int(found["RealMemory"]) == real_memory_mib(machine("aws", "c7i.48xlarge")) == 380792


def test_a_node_has_the_memory_described():
    assert node(memory="2GiB")["RealMemory"] == "2048"
    assert partition(memory="2GiB")["DefMemPerCPU"] == "1024"


def test_features_are_true_of_every_node():
    one = node(machine="hpc6a.48xlarge", smt=False)["Feature"]
    assert one == "hpc6a.48xlarge,x86_64,on_demand,efa"
    either = node(machine="c7i.48xlarge", fallback=["m7i.48xlarge"], purchase="spot", fabric=False)["Feature"]
    assert either == "x86_64,spot"


def test_weight_is_the_price_in_cents():
    assert node(machine="hpc6a.48xlarge", smt=False)["Weight"] == "288"
    assert node(machine="c7i.large")["Weight"] == "9"
    spot, list_price = node(machine="c7i.48xlarge", purchase="spot"), node(machine="c7i.48xlarge")
    assert int(spot["Weight"]) < int(list_price["Weight"]) == 857


RESERVED = {"reservation": "cr-0123456789abcdef0"}
BLOCK = {"capacity_block": "cr-0123456789abcdef0"}


def test_what_is_reserved_costs_no_more_than_it_does_anyway():
    assert node(machine="c7i.48xlarge", purchase=RESERVED)["Weight"] == "1"


@pytest.mark.parametrize(("purchase", "tier"), [("on_demand", None), ("spot", None), (RESERVED, "2"), (BLOCK, "2")])
def test_what_is_reserved_comes_first(purchase, tier):
    machine = "p5.48xlarge" if purchase is BLOCK else "c7i.48xlarge"
    assert partition(machine=machine, purchase=purchase).get("PriorityTier") == tier


def test_another_order_may_be_said():
    found = partition(machine="c7i.48xlarge", purchase=RESERVED, slurm={"prioritytier": 5})
    assert {key: value for key, value in found.items() if key.lower() == "prioritytier"} == {"PriorityTier": "5"}


def test_one_node_is_named_without_a_range():
    text = slurm_files(cluster(queue(max=1)))["slurm.conf"]
    assert line(text, "PartitionName", "cpu")["Nodes"] == "cpu-1"


@pytest.mark.parametrize(("version", "place"), [("24.11", None), ("25.11", "default:cpu")])
def test_a_node_that_was_powered_down_keeps_its_switch(version, place):
    files = slurm_files(cluster(), version=version)
    assert line(files["slurm.conf"], "NodeName", "cpu-[1-2]").get("Topology") == place
    assert "SwitchName=cpu Nodes=cpu-[1-2]" in files["topology.conf"]


def test_without_gpus_there_is_no_gres():
    files = slurm_files(cluster())
    assert "gres.conf" not in files
    assert "Gres" not in files["slurm.conf"]


@pytest.mark.parametrize(
    ("sharing", "gres", "types"),
    [
        (None, "gpu:l4:8", ["gpu"]),
        ({"shards": 4}, "gpu:l4:8,shard:32", ["gpu", "shard"]),
        ({"mps": 100}, "gpu:l4:8,mps:800", ["gpu", "mps"]),
    ],
)
def test_gpus_are_announced_as_gres(sharing, gres, types):
    shared = {} if sharing is None else {"gpu_sharing": sharing}
    files = slurm_files(cluster(queue(machine="g6.48xlarge", fabric=False, **shared)))
    assert line(files["slurm.conf"], "NodeName", "cpu-[1-2]")["Gres"] == gres
    assert f"GresTypes={','.join(types)}\n" in files["slurm.conf"]
    assert files["gres.conf"].splitlines() == [
        "AutoDetect=off",
        "NodeName=cpu-[1-2] Name=gpu Type=l4 File=/dev/nvidia[0-7] Flags=nvidia_gpu_env",
    ]
    assert ("job_submit.lua" in files) == (sharing is not None)


def test_one_gpu_is_one_file():
    assert " File=/dev/nvidia0 " in slurm_files(cluster(queue(machine="g5.xlarge")))["gres.conf"]


def test_gpus_of_another_maker_have_its_files_and_flag():
    given = cluster(queue(machine="g6.48xlarge"))
    nvidia = queue_nodes(given, given.queues[0])
    devices = gpu_devices("AMD")
    assert nvidia.gpus
    assert devices
    amd = replace(nvidia, gpus=replace(nvidia.gpus, type="mi300x", devices=devices))
    assert gres_conf([amd]).splitlines()[1:] == [
        "NodeName=cpu-[1-2] Name=gpu Type=mi300x File=/dev/dri/renderD[128-135] Flags=amd_gpu_env"
    ]


def test_trainium_is_no_gres():
    assert "gres.conf" not in slurm_files(cluster(queue(machine="trn1.32xlarge"), zone="use2-az3"))


def test_a_machine_without_known_facts_is_an_error():
    unknown = AwsClusterSpec.model_validate(
        cluster().model_dump(mode="json", exclude_unset=True) | {"queues": [queue(machine="p6e-gb200.36xlarge")]}
    )
    with pytest.raises(
        ValueError,
        match=r"queue cpu: slurm\.conf needs the number of cores and the memory of p6e-gb200\.36xlarge, but",
    ):
        slurm_files(unknown)
