"""When the head node goes for good, its compute nodes and their placement policies go with it."""

import json

import pytest
from serving import serving

from hpc_components.elastic.config import Config, ConfigError
from hpc_components.elastic.drivers import connect, instance_metadata
from hpc_components.elastic.drivers.gcp import driver as gcp
from hpc_components.elastic.drivers.gcp.driver import GcpDriver
from hpc_components.elastic.drivers.gcp.reap import DEADLINE_SECONDS, main, reap
from hpc_components.elastic.drivers.http import Connections

from .fake_gce import FakeGce
from .gce_shapes import FaultError
from .gcp_cluster import FIRST, add_fleets, inside, launch, make_driver
from .rest_server import RestServer


@pytest.fixture
def gce(clock):
    gce = FakeGce(clock)
    add_fleets(gce, FIRST, machines=10)
    gce.stop_seconds = 30
    return gce


@pytest.fixture
def sleep(clock):
    def sleep(seconds: float) -> None:
        clock.now += seconds

    return sleep


def test_machines_go_and_policies_when_theirs_have_gone(gce, clock, sleep):
    make_driver(gce, inside(gce)).launch(launch(*range(1, 31)))
    began = clock.now
    assert reap(make_driver(gce, inside(gce)), clock.now + DEADLINE_SECONDS, clock, sleep) == ""
    assert not gce.live()
    assert not gce.policies_there()
    assert 30 <= clock.now - began < 80


def test_what_is_left_when_the_time_is_over_is_told(gce, clock, sleep):
    gce.stop_seconds = 200
    make_driver(gce, inside(gce)).launch(launch(1))
    assert (
        reap(make_driver(gce, inside(gce)), clock.now + DEADLINE_SECONDS, clock, sleep)
        == "placement policies cfd-cpu-a-0 still exist"
    )
    assert not gce.live()


def test_machines_without_a_policy_are_waited_for(gce, clock, sleep):
    """The destroy deletes their subnet as soon as the head node has gone."""
    add_fleets(gce, FIRST)
    make_driver(gce, inside(gce)).launch(launch(1, 2))
    began = clock.now
    assert reap(make_driver(gce, inside(gce)), clock.now + DEADLINE_SECONDS, clock, sleep) == ""
    assert 30 <= clock.now - began < DEADLINE_SECONDS
    gce.stop_seconds = 200
    make_driver(gce, inside(gce)).launch(launch(3, token="t2"))
    left = reap(make_driver(gce, inside(gce)), clock.now + DEADLINE_SECONDS, clock, sleep)
    assert left == "1 machines are shutting down, so their subnet can't be deleted yet"


def test_a_deletion_that_is_not_accepted_is_tried_again(gce, clock, sleep):
    make_driver(gce, inside(gce)).launch(launch(1))
    turns = iter([True, True])

    def admit(action, names, body) -> None:
        if action == "terminate" and next(turns, False):
            raise FaultError("backendError", "Sorry.", 503)

    gce.on_request = admit
    assert reap(make_driver(gce, inside(gce)), clock.now + DEADLINE_SECONDS, clock, sleep) == ""
    assert not gce.live()


@pytest.fixture
def head(gce, monkeypatch, tmp_path):
    """The head node's own files and services; the path of `elastic.json`."""
    gce.clock.now = 0.0
    pool = {"machine": FIRST.machine, "zone": FIRST.zone, "purchase": "on_demand"}
    queues = [{"name": "cpu", "max": 10, "pools": [pool]}]
    path = tmp_path / "elastic.json"
    path.write_text(json.dumps({"version": 1, "cluster": "cfd", "cloud": "gcp", "queues": queues}))
    opened: list[Connections] = []

    def connections(*seconds: float) -> Connections:
        opened.append(Connections(*seconds))
        return opened[-1]

    with serving(RestServer(gce)) as server:
        place = gcp.Place
        monkeypatch.setenv("IMDS", server.url)
        monkeypatch.setattr(gcp, "Place", lambda **more: place(**more, compute=server.url, storage=server.url))
        monkeypatch.setattr(gcp, "Connections", connections)
        monkeypatch.setattr(instance_metadata, "Connections", connections)
        yield str(path)
        for each in opened:
            each.close()


def test_a_head_node_that_comes_back_leaves_jobs_alone(gce, head, capsys):
    gce.put("cluster", {})
    make_driver(gce, inside(gce)).launch(launch(1))
    assert main([head]) == 0
    assert len(gce.live()) == 1
    assert "left alone" in capsys.readouterr().out


def test_a_head_node_that_goes_for_good_takes_its_nodes_along(gce, head, capsys):
    gce.stop_seconds = 0
    make_driver(gce, inside(gce)).launch(launch(1))
    assert main([head]) == 0
    assert not gce.live()
    assert not gce.policies_there()
    assert "have been deleted" in capsys.readouterr().out


def test_who_can_t_know_in_time_leaves_jobs_alone(gce, head, clock, sleep, capsys):
    make_driver(gce, inside(gce)).launch(launch(1))
    gce.fail["read object"] = FaultError("backendError", "Sorry.", 503)
    assert main([head], clock, sleep) == 1
    assert DEADLINE_SECONDS <= clock.now < 90
    assert len(gce.live()) == 1
    assert "the nodes are left alone" in capsys.readouterr().err


@pytest.mark.parametrize("silent", ["attribute", "token", "read object"])
def test_an_answer_that_does_not_come_is_asked_for_again(silent, gce, head, clock, sleep):
    """A head node that gives up at the first one leaves machines running that nobody knows of."""
    gce.stop_seconds = 0
    make_driver(gce, inside(gce)).launch(launch(1))
    gce.fail[silent] = FaultError("backendError", "Sorry.", 503)

    def recover(seconds: float) -> None:
        sleep(seconds)
        if clock.now > 20:
            gce.fail.clear()

    assert main([head], clock, recover) == 0
    assert 20 < clock.now < 30
    assert not gce.live()


def test_who_may_not_look_does_not_ask_again(gce, head, clock, sleep, capsys):
    gce.fail["read object"] = FaultError("forbidden", "No.", 403)
    assert main([head], clock, sleep) == 1
    assert clock.now == 0
    assert "the nodes are left alone" in capsys.readouterr().err


def test_a_driver_is_connected_by_what_the_head_nodes_metadata_says(gce, head):
    assert isinstance(connect(Config(cluster="cfd", cloud="gcp", queues=())), GcpDriver)


@pytest.mark.parametrize("key", ["hpc-project", "hpc-config"])
def test_metadata_that_is_missing_is_named(key, gce, head):
    del gce.attributes[key]
    with pytest.raises(ConfigError, match=f"{key}: missing; cloud 'gcp' requires this metadata on the head node"):
        connect(Config(cluster="cfd", cloud="gcp", queues=()))
