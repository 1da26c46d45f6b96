"""How soon the next pool is asked, and how many calls that takes, on each cloud at 100 ms a call."""

import pytest

from elastic.pace.clouds import Aws, Azure, ClosePlacement, Gcp, Time
from elastic.pace.world import PacedWorld

CLOUDS = {"aws": Aws, "azure": Azure, "gcp": Gcp, "gcp, close together": ClosePlacement}


@pytest.fixture
def time():
    return Time()


def made(request, time, seconds: float):
    """The cloud that is asked for, whose operations last so many seconds."""
    more = [request.getfixturevalue(name) for name in ("server", "client")] if request.param == "aws" else []
    return CLOUDS[request.param](time, seconds, *more)


@pytest.fixture(params=CLOUDS)
def make(request, time):
    return lambda seconds: made(request, time, seconds)


@pytest.fixture
def cloud(request, time):
    """Machines come after three seconds."""
    return made(request, time, 3.0)


@pytest.mark.parametrize("seconds", [0.0, 3.0])
def test_after_a_failure_and_a_refusal_the_next_pool_is_asked_within_fifteen_seconds(tmp_path, time, make, seconds):
    """It takes the cloud so long to say that there are no machines."""
    cloud = make(seconds)
    world = PacedWorld(tmp_path, time, cloud, nodes=8)
    cloud.sell_out(cloud.pools[0])
    cloud.fail(broken=True)
    world.want(jobs=2, each=4)
    began = time.now
    world.until(lambda: cloud.launch in [action for _, action in time.calls])
    cloud.fail(broken=False)
    world.until(lambda: cloud.asked_for(cloud.pools[1]))
    asked = [at - began for at, action in time.calls if action == cloud.launch]
    assert len(asked) == 3
    assert asked[-1] <= 15


@pytest.mark.parametrize(
    ("cloud", "most"), [("aws", 4), ("azure", 8), ("gcp", 8), ("gcp, close together", 9)], indirect=["cloud"]
)
def test_four_hundred_nodes_of_a_hundred_jobs_take_few_calls(tmp_path, time, cloud, most):
    """From the cycle that finds them wanted to the one that knows all machines, with every look at operations."""
    world = PacedWorld(tmp_path, time, cloud, nodes=400)
    time.calls.clear()
    world.want(jobs=100, each=4)
    world.until_launched(400)
    assert len(time.calls) <= most


@pytest.mark.parametrize(
    ("cloud", "most"), [("aws", 75), ("azure", 150), ("gcp", 95), ("gcp, close together", 105)], indirect=["cloud"]
)
def test_a_quiet_schedule_takes_few_calls(tmp_path, time, cloud, most):
    """Four jobs, one after the other, each of which runs for a minute on machines of its own, and then rest."""
    world = PacedWorld(tmp_path, time, cloud, nodes=8)
    time.calls.clear()
    for number in range(4):
        world.run_job(2 * number + 1, 2 * number + 2, seconds=60)
    world.rest(120)
    assert len(time.calls) <= most
