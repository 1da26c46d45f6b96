import pytest

from tests.spec.rules.judged import paths, problems, queue

FAST = {"name": "fast", "machine": "c7i.48xlarge", "max": 4}
BLOCK = {"machine": "p5.48xlarge", "purchase": {"capacity_block": "cr-0123456789abcdef0"}}
RESERVED = {"purchase": {"reservation": "cr-0123456789abcdef0"}}
ZONES = ["use2-az2", "use2-az3"]


@pytest.mark.parametrize(
    ("number", "changes", "found"),
    [
        (1, {"machine": "t3.xlarge", "placement": "cluster"}, ["queues[0].machine"]),
        (1, {"machine": "t3.xlarge", "placement": "spread"}, []),
        (1, FAST | {"fallback": ["t3.2xlarge"]}, ["queues[0].fallback[0]"]),
        (1, {"machine": "c7i.xlarge", "placement": "cluster", "fallback": ["t3.xlarge"]}, ["queues[0].fallback[0]"]),
        (2, {"placement": "cluster", "zones": ZONES}, ["queues[0].placement"]),
        (2, {"placement": "spread", "zones": ZONES}, []),
        (2, {"placement": "cluster", "zones": ZONES[:1]}, []),
        (3, {"placement": "spread", "max": 7}, []),
        (3, {"placement": "spread", "max": 8}, ["queues[0].max"]),
        (3, {"placement": "spread", "max": 14, "zones": ZONES}, []),
        (3, {"placement": "spread", "max": 15, "zones": ZONES}, ["queues[0].max"]),
        (3, {"placement": "partition", "max": 100}, []),
        (4, {"placement": "partition", "max": 7}, ["queues[0].placement"]),
        (4, {"placement": "partition", "max": 8}, []),
        (5, BLOCK | {"placement": "cluster"}, ["queues[0].placement"]),
        (5, BLOCK | {"placement": "spread"}, ["queues[0].placement"]),
        (5, BLOCK | {"placement": "none"}, []),
        (5, BLOCK, []),
        (6, FAST | {"placement": "none"}, ["queues[0].placement"]),
        (6, FAST | {"placement": "partition"}, ["queues[0].placement"]),
        (6, FAST | {"placement": "none", "fabric": False}, []),
        (6, FAST, []),
        (6, FAST | RESERVED | {"placement": "none"}, []),
        (7, FAST | {"fallback": ["m7i.48xlarge"]}, ["queues[0].fallback"]),
        (7, FAST | {"fallback": ["m7i.48xlarge"], "fabric": False}, []),
        (7, FAST | RESERVED | {"fallback": ["m7i.48xlarge"]}, []),
        (7, {"fallback": ["m7i.4xlarge"], "placement": "cluster"}, ["queues[0].fallback"]),
        (8, FAST | RESERVED, []),
        (8, FAST | RESERVED | {"placement": "cluster"}, ["queues[0].placement"]),
        (8, FAST | RESERVED | {"placement": "spread"}, ["queues[0].placement"]),
        (8, FAST | RESERVED | {"placement": "none"}, []),
        (8, RESERVED, []),
    ],
)
def test_a_wrong_placement_is_found(number, changes, found):
    assert paths(f"HPC-PLC-{number:03}", queues=[queue() | changes]) == found


def test_two_types_in_a_group_are_told_what_slurm_does_with_idle_nodes():
    (problem,) = problems("HPC-PLC-007", queues=[queue(**FAST, fallback=["m7i.48xlarge"])])
    assert "a job may start on idle nodes of different types" in problem.reason


def test_spread_nodes_that_fit_need_no_partitions():
    assert not paths("HPC-PLC-004", queues=[queue(placement="spread", max=2)])
