import pytest

from hpc_components.catalog._load import records
from hpc_components.spec import slurm
from hpc_components.spec.findings import Level
from hpc_components.spec.slurm.bounds import slurm_bounds
from hpc_components.spec.slurm.keys import slurm_key

from ...rules.judged import levels, paths, problems, queue


def whole(**keys):
    return {"settings": keys}


@pytest.mark.parametrize("record", records("bounds", slurm.__file__), ids=lambda record: record["name"])
def test_bounds_are_of_keys_and_hold_to_the_last_number(record):
    name, scope = record["name"], record["kind"]
    assert slurm_key(scope, name) is not None
    bounds = slurm_bounds(scope, name.upper())
    assert bounds is not None
    level = Level.WARNING if bounds.outside == "changed" else Level.ERROR
    inside = [one for one in (bounds.least, bounds.most) if one is not None]
    outside = [bounds.least - 1] if bounds.least is not None else []
    outside += [bounds.most + 1] if bounds.most is not None else []
    for value, found in (*((one, []) for one in inside), *((one, [level]) for one in outside)):
        changes = {"slurm": whole(**{name: value})}
        if scope == "partition":
            changes = {"queues": [queue(slurm={name: value})]}
        assert levels("HPC-SLM-026", **changes) == found, value


def test_no_limit_is_no_number_outside():
    assert not paths("HPC-SLM-026", queues=[queue(slurm={"MaxNodes": "INFINITE"})])


@pytest.mark.parametrize(
    ("keys", "found"),
    [
        ({"AllowAccounts": "a", "DenyAccounts": "b"}, ["DenyAccounts"]),
        ({"denyqos": "a", "ALLOWQOS": "b"}, ["denyqos"]),
        ({"DefMemPerCPU": 1, "DefMemPerNode": 1}, ["DefMemPerCPU"]),
        ({"MaxMemPerCPU": 1, "MaxMemPerNode": 1}, ["MaxMemPerCPU"]),
        ({"Priority": 2, "PriorityTier": 3, "PriorityJobFactor": 4}, ["PriorityTier", "PriorityJobFactor"]),
        ({"AllowAccounts": "a", "DenyQos": "b"}, []),
        ({"DefMemPerCPU": 1, "MaxMemPerNode": 1}, []),
        ({"PriorityTier": 3, "PriorityJobFactor": 4}, []),
    ],
)
def test_keys_that_exclude_one_another_are_found(keys, found):
    assert paths("HPC-SLM-027", queues=[queue(slurm=keys)]) == [f"queues[0].slurm.{key}" for key in found]


def test_two_places_are_two_things():
    own = [queue(slurm={"DefMemPerCPU": 1000}), queue(name="b", slurm={"DefMemPerNode": 1000})]
    assert not paths("HPC-SLM-027", slurm=whole(DefMemPerNode=2000), queues=own)
    assert paths("HPC-SLM-027", slurm=whole(DefMemPerNode=2000, DefMemPerCPU=1), queues=own) == [
        "slurm.settings.DefMemPerCPU"
    ]


@pytest.mark.parametrize(
    ("keys", "right"),
    [
        ({"MaxArraySize": 100_000}, True), ({"MaxArraySize": 100_001}, False), ({"MaxArraySize": 0}, True),
        ({"MaxArraySize": 100_001, "MaxJobCount": 200_000}, True), ({"MaxJobCount": 5000}, True),
        ({"MaxArraySize": 20_000, "maxjobcount": 10_000}, False), ({"MaxArraySize": "200k"}, False),
    ],
)  # fmt: skip
def test_array_sizes_must_fit_the_jobs(keys, right):
    assert bool(paths("HPC-SLM-028", slurm=whole(**keys))) is not right


def test_weights_that_exceed_the_largest_are_found():
    most = 2**32 - 1
    assert not paths("HPC-SLM-029", slurm=whole(PriorityWeightAge=1, PriorityWeightQOS=most - 1))
    (problem,) = problems("HPC-SLM-029", slurm=whole(PriorityWeightAge=1, priorityweightqos=most))
    assert problem.path == ("slurm", "settings", "priorityweightqos")


@pytest.mark.parametrize(
    ("keys", "right"),
    [
        ({"PriorityType": "priority/basic", "PriorityWeightQOS": 10}, False),
        ({"PriorityType": "priority/basic", "PriorityWeightQOS": 0}, True),
        ({"PriorityType": "priority/multifactor", "PriorityWeightQOS": 10}, True),
        ({"PriorityType": "priority/basic"}, True),
    ],
)
def test_weights_count_where_they_are_read(keys, right):
    assert paths("HPC-SLM-029", slurm=whole(**keys)) == ([] if right else ["slurm.settings.PriorityType"])


@pytest.mark.parametrize(
    ("keys", "found"),
    [
        ({"HealthCheckProgram": "/usr/sbin/nhc"}, [Level.WARNING]),
        ({"HealthCheckInterval": 300}, []),  # that of the package's own program
        ({"HealthCheckInterval": 0}, []),
        ({"healthcheckprogram": "/usr/sbin/nhc", "HealthCheckInterval": 300}, []),
        ({"MCSParameters": "enforced"}, [Level.ERROR]),
        ({"MCSParameters": "enforced", "MCSPlugin": "mcs/user"}, []),
    ],
)
def test_keys_without_their_companions_are_found(keys, found):
    assert levels("HPC-SLM-037", slurm=whole(**keys)) == found


@pytest.mark.parametrize(
    ("keys", "right"),
    [
        ({"UnkillableStepTimeout": 50}, True),
        ({"UnkillableStepTimeout": 49}, False),
        ({"UnkillableStepTimeout": 300, "MessageTimeout": 60}, True),
        ({"UnkillableStepTimeout": 299, "MessageTimeout": 60}, False),
        ({"MessageTimeout": 60}, True),
    ],
)
def test_the_time_to_kill_must_exceed_the_message_timeout(keys, right):
    assert bool(paths("HPC-SLM-038", slurm=whole(**keys))) is not right
