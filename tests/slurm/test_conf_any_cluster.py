"""Whatever is described: what holds of the files of every cluster, for every release."""

import re
from collections import Counter
from string import ascii_lowercase, digits

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.catalog import machine, machines, real_memory_mib
from hpc_components.elastic.config import load_config
from hpc_components.slurm import RELEASES, slurm_files
from hpc_components.spec.slurm.keys import slurm_key

MACHINES = st.sampled_from([each.name for each in machines("aws")])
QUEUE = st.fixed_dictionaries(
    {
        "name": st.builds(
            str.__add__, st.sampled_from(ascii_lowercase), st.text(f"{ascii_lowercase}{digits}-", max_size=8)
        ),
        "machine": MACHINES,
        "max": st.integers(1, 12_000),
    },
    optional={
        "min": st.integers(0, 1),
        "fallback": st.lists(MACHINES, max_size=3),
        "zones": st.lists(st.sampled_from(["use2-az1", "use2-az2", "use2-az3"]), max_size=3, unique=True),
        "purchase": st.sampled_from(["on_demand", "spot", {"reservation": "cr-0"}, {"capacity_block": "cr-0"}]),
        "smt": st.booleans(),
        "requeue": st.booleans(),
        "idle_time": st.sampled_from(["0s", "1h"]),
        "gpu_sharing": st.sampled_from([{"shards": 4}, {"mps": 100}]),
        "memory": st.sampled_from(["1GiB"]),
        "slurm": st.sampled_from([{"MaxTime": 60}, {"defmempernode": 100}, {"OverSubscribe": "EXCLUSIVE"}]),
    },
)
SLURM = st.fixed_dictionaries(
    {},
    optional={
        "accounting": st.sampled_from(
            [{}, {"accounts": {"a": {"users": ["u"]}}}, {"qos": {"q": {"max_tres_per_user": {"cpu": 1}}}}]
        ),
        "settings": st.sampled_from(
            [{"schedulerparameters": "bf_window=9"}, {"DefMemPerCPU": 9}, {"JobSubmitPlugins": "all_partitions"},
             {"PropagateResourceLimits": "ALL"}, {"MAXJOBCOUNT": 9, "KillWait": 30}]
        ),
    },
)  # fmt: skip
CLUSTER = st.builds(
    lambda queues, slurm: AwsClusterSpec.model_validate(
        {
            "cloud": "aws", "name": "lab", "region": "us-east-2", "zone": "use2-az2",
            "network": {"cidr": "10.20.0.0/16"}, "head_node": {"machine": "c6i.xlarge"},
            "queues": queues, "slurm": slurm,
        }
    ),
    st.lists(QUEUE, min_size=1, max_size=5, unique_by=lambda queue: queue["name"]),
    SLURM,
)  # fmt: skip
ANY = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def expand(hosts: str) -> list[str]:
    """All names in a list of hosts as we write it."""
    found = []
    for part in re.findall(r"[^,\[]+(?:\[[^\]]*\])?", hosts):
        match = re.fullmatch(r"(.*)\[(\d+)-(\d+)\]", part)
        found += [f"{match[1]}{n}" for n in range(int(match[2]), int(match[3]) + 1)] if match else [part]
    return found


def lines(text: str, kind: str) -> list[dict[str, str]]:
    chosen = [line for line in text.splitlines() if line.startswith(f"{kind}=")]
    return [dict(part.split("=", 1) for part in line.split()) for line in chosen]


def nodes_of(cluster: AwsClusterSpec) -> set[str]:
    return {f"{queue.name}-{number}" for queue in cluster.queues for number in range(1, queue.max + 1)}


@ANY
@given(CLUSTER)
def test_every_node_is_in_one_line_one_partition_and_one_leaf(cluster):
    files = slurm_files(cluster)
    switches = lines(files["topology.conf"], "SwitchName")
    leaves = [switch for switch in switches if "Nodes" in switch]
    nodes = nodes_of(cluster)
    for found in (
        [name for line in lines(files["slurm.conf"], "NodeName") for name in expand(line["NodeName"])],
        [name for line in lines(files["slurm.conf"], "PartitionName") for name in expand(line["Nodes"])],
        [name for leaf in leaves for name in expand(leaf["Nodes"])],
    ):
        assert len(found) == len(set(found))
        assert set(found) == nodes
    (top,) = [switch for switch in switches if "Switches" in switch]
    assert top["Switches"].split(",") == [leaf["SwitchName"] for leaf in leaves]
    assert len({switch["SwitchName"] for switch in switches}) == len(switches)


@ANY
@given(CLUSTER, st.sampled_from(RELEASES))
def test_no_key_appears_twice_and_the_release_knows_every_key(cluster, version):
    text = slurm_files(cluster, version=version)["slurm.conf"]
    whole = [line.split("=", 1)[0] for line in text.splitlines() if "=" in line and line[0] != "#"]
    plain = [key for key in whole if key not in ("NodeName", "PartitionName")]
    assert max(Counter(key.lower() for key in plain).values()) == 1
    scopes = [("global", key) for key in plain]
    for kind, scope in (("NodeName", "node"), ("PartitionName", "partition")):
        for line in (line for line in text.splitlines() if line.startswith(f"{kind}=")):
            keys = [part.split("=", 1)[0] for part in line.split()[1:]]
            assert max(Counter(key.lower() for key in keys).values()) == 1
            scopes += [(scope, key) for key in keys]
    for scope, key in scopes:
        known = slurm_key(scope, key)
        assert known is not None, key
        assert known.types.get(version, "removed") != "removed", key


@ANY
@given(CLUSTER)
def test_a_node_is_no_more_than_any_machine_of_its_queue(cluster):
    for queue, line in zip(cluster.queues, lines(slurm_files(cluster)["slurm.conf"], "NodeName"), strict=True):
        shape = [int(line[key]) for key in ("CPUs", "Sockets", "CoresPerSocket", "ThreadsPerCore", "RealMemory")]
        cpus, sockets, cores, threads, memory = shape
        assert min(shape) >= 1
        assert cpus == sockets * cores * threads
        for each in (machine("aws", name) for name in queue.machines):
            assert each is not None
            assert cpus <= each.slurm_cpus(smt=queue.smt)
            assert sockets * cores <= each.cores
            assert memory <= real_memory_mib(each) or queue.memory is not None


@ANY
@given(CLUSTER)
def test_gpus_are_the_same_in_both_files(cluster):
    files = slurm_files(cluster)
    told = {
        (line["NodeName"], *kind.rsplit(":", 1))
        for line in lines(files["slurm.conf"], "NodeName")
        for kind in filter(None, line.get("Gres", "").split(","))
        if kind.startswith("gpu:")
    }
    found = set()
    for line in lines(files.get("gres.conf", ""), "NodeName"):
        found.add((line["NodeName"], f"gpu:{line['Type']}", str(len(expand(line["File"])))))
    assert found == told


@ANY
@given(CLUSTER)
def test_the_daemon_is_told_of_the_same_nodes(cluster):
    files = slurm_files(cluster)
    config = load_config(files["elastic.json"])
    assert {node for queue in config.queues for node in queue.nodes} == nodes_of(cluster)
    kept = re.search(r"^SuspendExcNodes=(.*)$", files["slurm.conf"], re.M)
    assert set(expand(kept[1]) if kept else ()) == {node for queue in config.queues for node in queue.kept}
    for described, told in zip(cluster.queues, config.queues, strict=True):
        assert told.pools[0].machine == described.machine
        assert len(told.pools) == len(described.machines) * len(cluster.queue_zones(described))


@ANY
@given(CLUSTER)
def test_the_same_cluster_has_the_same_text(cluster):
    assert slurm_files(cluster) == slurm_files(cluster)
