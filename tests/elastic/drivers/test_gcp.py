"""What Google Cloud's driver does beyond the contract: names, placement policies, and what became of machines."""

import json

import pytest

from hpc_components.elastic.drivers.contract import (
    FailedError,
    RefusedError,
    ThrottledError,
)
from hpc_components.elastic.drivers.gcp import compute
from hpc_components.elastic.drivers.http import Answer
from hpc_components.elastic.model import InstanceState, Pool

from .gce_shapes import NEVER, FaultError, Template
from .gcp_cluster import FIRST, SECOND, add_fleets, inside, launch, make_driver, numbers, restarted, template_id


def test_machines_have_the_nodes_names_and_the_templates_labels_beside_the_launchs(gcp, gce):
    gcp.launch(launch(3, 1))
    assert [(vm.name, vm.labels["owner"], vm.labels["hpc_launch"]) for vm in gce.live()] == [
        ("cfd-cpu-3", "tom", "t1"),
        ("cfd-cpu-1", "tom", "t1"),
    ]


def test_machines_are_listed_and_ended_also_if_the_launchs_labels_replace_the_templates(gcp, gce):
    gce.replaces_labels = True
    gcp.launch(launch(1))
    (listed,) = gcp.list()
    gcp.terminate([listed.id])
    assert not gce.live()


def test_machines_of_other_clusters_are_none_of_ours(gcp, gce):
    add_fleets(gce, FIRST, cluster="other")
    make_driver(gce, inside(gce), cluster="other").launch(launch(1, token="o1"))
    add_fleets(gce, FIRST)
    gcp.launch(launch(1, token="t1", pool=FIRST))
    assert [each.node for each in gcp.list()] == ["cpu-1"]


@pytest.mark.parametrize("purchase", ["on_demand", "spot", "flex_start"])
def test_how_a_machine_was_bought_is_read_from_it(purchase, gce, gcp):
    pool = Pool(queue="gpu", machine="g2-standard-96", zone="us-central1-c", purchase=purchase)
    add_fleets(gce, pool)
    assert [each.pool for each in gcp.launch(launch(1, pool=pool))] == [pool]
    assert [each.pool for each in gcp.list()] == [pool]


# Names.


@pytest.mark.parametrize("knows", [True, False])
def test_a_name_is_free_when_its_former_machine_has_gone(knows, gcp, gce, clock):
    """Also if the daemon has started since, so that only Google knows of the former machine."""
    gce.stop_seconds = 50
    (old,) = gcp.launch(launch(1))
    gcp.terminate([old.id])
    began, now = clock.now, gcp if knows else restarted(gce, clock)
    made = now.launch(launch(1, 2, minimum=2, token="t2"))
    assert [each.node for each in made] == ["cpu-1", "cpu-2"]
    assert {each.token for each in made} == {"t2"}
    assert 50 <= clock.now - began <= 60
    assert numbers(gce) == ["cfd-cpu-1", "cfd-cpu-2"]


def test_a_machine_of_another_launch_is_not_taken_for_ours(gcp, gce, clock):
    (old,) = gcp.launch(launch(1))
    with pytest.raises(FailedError, match=r"cfd-cpu-1 already exists in .*, made by another launch"):
        restarted(gce, clock).launch(launch(1, 2, token="t2"))
    assert [(vm.name, vm.number) for vm in gce.live()] == [("cfd-cpu-1", old.id.rpartition("/")[2])]


@pytest.mark.parametrize("labels", [{"owner": "ann"}, {"clustername": "cfd"}], ids=["somebody else's", "lost labels"])
def test_a_machine_that_no_list_shows_is_named_with_the_command_that_deletes_it(labels, gcp, gce):
    gce.left.clear()
    gce._make("cfd-cpu-1", FIRST.zone, Template("e2-micro", {}), labels, [], gce.clock())
    words = (
        "machine cfd-cpu-1 already exists in us-central1-a, but its labels .*; delete it with: gcloud compute "
        "instances delete cfd-cpu-1 --zone us-central1-a --project acme-hpc$"
    )
    with pytest.raises(RefusedError, match=words):
        gcp.launch(launch(1, 2, minimum=1))
    assert numbers(gce) == ["cfd-cpu-1"]
    assert not [each for each in gcp.list() if each.alive]


def test_machines_that_nobody_knows_yet_when_their_launch_is_answered_are_pending(gcp, gce, clock):
    gce.lag_seconds = 30
    (told,) = gcp.launch(launch(1))
    assert (told.state, told.node, told.token) == (InstanceState.PENDING, "cpu-1", "t1")
    assert [each.state for each in gcp.list()] == []
    clock.now += 31
    assert [(each.id, each.state) for each in gcp.list()] == [(told.id, InstanceState.RUNNING)]


def test_a_machine_that_was_unknown_for_long_leaves_its_name_to_the_daemon(gcp, gce, clock):
    """Its end was told, and another was asked for: what lives under the name is listed, so that it can be ended."""
    (old,) = gcp.launch(launch(1))
    for seconds in (61, 61):
        clock.now += seconds
        gce.unknown = {old.id.rpartition("/")[2]}
        told = gcp.list()
    assert [each.state for each in told] == [InstanceState.GONE]
    gce.unknown = set()
    with pytest.raises(FailedError, match="made by another launch"):
        gcp.launch(launch(1, token="t2"))
    assert [(each.id, each.alive) for each in gcp.list()] == [(old.id, True)]
    gcp.terminate([old.id])
    assert [each.token for each in gcp.launch(launch(1, token="t2"))] == ["t2"]


def test_a_machine_that_has_shut_down_makes_room_for_the_next_of_its_name(gcp, gce):
    gcp.launch(launch(1))
    gce.live()[0].power = "TERMINATED"
    gce.stop_seconds = 30
    (made,) = gcp.launch(launch(1, token="t2"))
    assert made.token == "t2"


def test_a_deletion_that_is_late_does_not_end_the_next_machine_of_that_name(gcp, gce, clock):
    requests = []
    gce.on_request = lambda action, names, body: requests.append(names) if action == "terminate" else None
    (old,) = gcp.launch(launch(1))
    gcp.terminate([old.id])
    (request,) = gce._requests.keys() - {
        each for each in gce._requests if "bulk" in gce.operations[gce._requests[each]].kind
    }
    gcp.launch(launch(1, token="t2"))
    gce.delete(*requests[0], request)
    assert numbers(gce) == ["cfd-cpu-1"]


def test_the_id_of_a_former_machine_ends_nothing(gcp, gce, clock):
    (old,) = gcp.launch(launch(1))
    gcp.terminate([old.id])
    gcp.launch(launch(1, token="t2"))
    gcp.terminate([old.id])
    restarted(gce, clock).terminate([old.id])
    assert numbers(gce) == ["cfd-cpu-1"]
    assert not restarted(gce, clock).find([old.id])


# What became of machines.


def test_a_machine_that_has_shut_down_is_failing_since_its_disks_cost_money(gcp, gce):
    gcp.launch(launch(1))
    gce.live()[0].power = "TERMINATED"
    (told,) = gcp.list()
    assert (told.alive, told.failing) == (True, "Google Cloud reports the machine as TERMINATED")


def test_a_spot_machine_that_google_takes_back_is_being_ended_then_gone_and_taken(gcp, gce, clock):
    gce.stop_seconds = 30
    gcp.launch(launch(1, pool=SECOND))
    clock.now += 61
    gce.preempt(gce.live()[0])
    assert [each.state for each in gcp.list()] == [InstanceState.STOPPING]
    clock.now += 31
    (told,) = gcp.list()
    assert (told.state, told.taken) == (InstanceState.GONE, True)


def test_a_machine_that_somebody_deletes_has_gone_and_was_not_taken(gcp, gce, clock):
    gcp.launch(launch(1))
    clock.now += 61
    gce.delete(FIRST.zone, "cfd-cpu-1", "by-hand")
    assert gcp.list() == []
    clock.now += 60
    assert [(each.state, each.taken) for each in gcp.list()] == [(InstanceState.GONE, False)]


def test_an_old_machine_that_a_list_lacks_is_asked_for_by_its_name(gcp, gce, clock):
    gcp.launch(launch(1))
    clock.now += 61
    gce.forgotten = {gce.live()[0].number}
    assert [(each.node, each.state) for each in gcp.list()] == [("cpu-1", InstanceState.RUNNING)]


def test_a_protected_machine_is_named_and_the_others_end(gcp, gce):
    made = gcp.launch(launch(1, 2))
    gce.live()[0].labels["keep"] = "true"
    with pytest.raises(RefusedError, match="protected against deletion") as caught:
        gcp.terminate([each.id for each in made])
    assert caught.value.kept == (made[0].id,)
    assert numbers(gce) == ["cfd-cpu-1"]


def test_a_deletion_that_was_not_answered_is_told_apart_from_one_that_is_refused(gcp, gce):
    made = gcp.launch(launch(1, 2, 3))
    gce.live()[0].labels["keep"] = "true"
    turns = iter([False, True, False])

    def admit(action, names, body) -> None:
        if action == "terminate" and next(turns):
            raise FaultError("backendError", "Sorry.", 503)

    gce.on_request = admit
    with pytest.raises(RefusedError, match="protected against deletion") as caught:
        gcp.terminate([each.id for each in made])
    assert (caught.value.kept, caught.value.unclear) == ((made[0].id,), (made[1].id,))


def test_a_deletion_that_was_not_answered_beside_a_throttled_one_is_an_oserror(gcp, gce):
    made = gcp.launch(launch(1, 2))
    turns = iter([FaultError("rateLimitExceeded", "Slow down.", 403), FaultError("backendError", "Sorry.", 503)])

    def admit(action, names, body) -> None:
        if action == "terminate":
            raise next(turns)

    gce.on_request = admit
    with pytest.raises(OSError, match=r"Slow down.*Sorry"):
        gcp.terminate([each.id for each in made])


@pytest.mark.parametrize(
    ("status", "reason", "raised"),
    [(403, "rateLimitExceeded", OSError), (403, "forbidden", RefusedError), (503, "backendError", OSError)],
)
def test_a_second_call_that_is_refused_as_a_whole_does_not_hide_that_the_first_was_not(
    status, reason, raised, gce, monkeypatch
):
    monkeypatch.setattr(compute, "BATCH", 2)
    calls = []

    def send(method, url, headers, body) -> Answer:
        calls.append(b"DELETE /" in body)
        if sum(calls) < 2:
            return inside(gce)(method, url, headers, body)
        error = {"errors": [{"reason": reason, "message": "Sorry."}]}
        return Answer(status=status, headers={}, body=json.dumps({"error": error}).encode())

    gcp = make_driver(gce, send)
    made = [each.id for each in gcp.launch(launch(1, 2, 3, 4))]
    with pytest.raises(raised) as caught:
        gcp.terminate(made)
    assert len(gce.live()) == 2
    if isinstance(caught.value, RefusedError):
        assert caught.value.kept == tuple(made[2:])


def test_deletions_that_are_too_many_are_left_for_later(gcp, gce):
    made = gcp.launch(launch(1, 2, 3))
    turns = iter([False, True, True])

    def admit(action, names, body) -> None:
        if action == "terminate" and next(turns):
            raise FaultError("rateLimitExceeded", "Slow down.", 403)

    gce.on_request = admit
    with pytest.raises(OSError, match="2 of 3 machines are not being deleted yet"):
        gcp.terminate([each.id for each in made])
    assert len(gce.live()) == 2


def test_a_deletion_in_vain_is_asked_for_again(gcp, gce, clock):
    (made,) = gcp.launch(launch(1))
    gcp.terminate([made.id])
    (vm,) = gce.vms
    vm.ended = vm.gone = NEVER
    clock.now += 61
    assert gcp.list()[0].alive
    gcp.terminate([made.id])
    assert not gce.live()


def test_so_is_that_of_a_machine_that_is_stopped(gcp, gce, clock):
    (made,) = gcp.launch(launch(1))
    gcp.terminate([made.id])
    (vm,) = gce.vms
    vm.ended = vm.gone = NEVER
    vm.power = "TERMINATED"
    clock.now += 61
    assert not gcp.list()[0].alive, "it may be on its way"
    clock.now += 600
    assert gcp.list()[0].alive
    gcp.terminate([made.id])
    assert not gce.live()


# What the stack says.


def test_while_pulumi_writes_another_document_nothing_is_refused(gcp, gce):
    document = gce.objects.pop("head/fleets.json")
    with pytest.raises(OSError, match=r"head/fleets\.json is missing from the config bucket"):
        gcp.launch(launch(1))
    gce.objects["head/fleets.json"] = document
    assert gcp.launch(launch(1))


def test_a_template_that_the_stack_has_made_since_is_used(gcp, gce):
    gcp.launch(launch(1))
    new = template_id(FIRST) + "-2"
    gce.templates[new] = gce.templates.pop(template_id(FIRST))
    queues = {"cpu": {"templates": {"h3-standard-88/us-central1-a": new}, "placement": None, "policy": None}}
    gce.put("head/fleets.json", {"version": 1, "project": "p", "queues": queues})
    gcp.launch(launch(2, token="t2"))
    assert numbers(gce) == ["cfd-cpu-1", "cfd-cpu-2"]


def test_a_document_of_another_version_is_refused(gcp, gce):
    gce.put("head/fleets.json", {"version": 2, "queues": {}})
    with pytest.raises(RefusedError, match="unsupported version 2"):
        gcp.launch(launch(1))


def test_a_token_that_is_not_taken_any_more_is_asked_for_again(gcp, gce):
    gcp.launch(launch(1))
    gce.token += 1
    assert len(gcp.list()) == 1
    assert gce.http["token"] == 2


def test_during_a_pause_google_is_not_asked_at_all(gcp, gce):
    gce.fail["list"] = FaultError("rateLimitExceeded", "Slow down.", 403)
    for _ in range(2):
        with pytest.raises(ThrottledError):
            gcp.list()
    assert gce.calls["list"] == 1
