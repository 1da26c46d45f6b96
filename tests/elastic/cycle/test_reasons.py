"""What people read of it."""

from elastic.cycle.stubs import M1, M2, START, kinds
from hpc_components.elastic.drivers.contract import CapacityError
from hpc_components.elastic.report.events import EventKind, clock_time

LONG = (
    "InsufficientInstanceCapacity: We currently do not have sufficient c7i.48xlarge capacity in the Availability Zone"
    " you requested (us-east-2b). Our system will be working on provisioning additional capacity."
)


def test_a_long_reason_is_cut_at_a_word(site):
    site.cloud.fails["launch"] = [CapacityError(LONG)] * 2
    site.slurm.want(1, 1)
    site.run()
    reason = site.told("down")["q-1"]
    words, _, when = reason.partition("; next try ")
    assert words.endswith(" ...")
    assert words.removesuffix(" ...").removeprefix("hpc: no capacity: m1 in z, on_demand: ") in LONG
    assert LONG.split(words.split()[-2], 1)[1][:1] in " ."
    assert len(words) <= 205
    assert when == clock_time(START + 305)


def test_a_node_that_is_powered_down_and_set_down_again_is_told_of_once(site):
    site.cloud.free = {M1: 0, M2: 0}
    site.slurm.want(1, 1)
    first = site.run()
    assert EventKind.DOWN in kinds(first)
    reason = site.told("down")["q-1"]
    site.slurm.jobs_now.clear()
    site.slurm.set("IDLE+CLOUD+POWERING_DOWN", 1)
    site.slurm.set("DOWN+CLOUD+POWERED_DOWN", *range(2, 9), reason=reason)
    again = site.run()
    assert site.told("down") == {"q-1": reason}
    assert EventKind.DOWN not in kinds(again)


def test_the_next_try_is_told_anew(site):
    site.cloud.free = {M1: 0, M2: 0}
    for _ in range(2):
        site.slurm.jobs_now.clear()
        site.slurm.want(1, 1)
        report = site.run()
        assert kinds(report).count(EventKind.DOWN) >= 1
        site.slurm.set("DOWN+CLOUD+POWERED_DOWN", *range(1, 9), reason=site.told("down")["q-1"])
        assert EventKind.RESUME in kinds(site.run(after=300))
        assert set(site.told("resume").values()) == {"hpc: ready for jobs again"}


def test_what_slurm_did_not_take_is_told_when_it_does(site):
    site.cloud.free = {M1: 0, M2: 0}
    site.slurm.refuses["down"] = OSError("no answer")
    site.slurm.want(1, 1)
    assert EventKind.DOWN not in kinds(site.run())
    site.slurm.refuses.clear()
    assert EventKind.DOWN in kinds(site.run())
