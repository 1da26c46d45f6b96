"""Bills of a few records, with amounts that can be checked by hand."""

import dataclasses
from typing import Any

import pytest

from hpc_components.bill.amounts import UNITS_PER_USD, decimal, divided, nano_usd, shown
from hpc_components.bill.bill import Bill, make_bill
from hpc_components.bill.text_bill import text_bill
from hpc_components.bill.views import view_of
from tests.bill.records import ABOUT, ended, ledger, line, machine, price, registered, runs, service

HOUR = 3600
MACHINE = [machine("i-1", 0), registered("i-1", HOUR), ended("i-1", 4 * HOUR), price(0, "4")]
"""An hour of boot, then three hours, each for 4 USD."""


def billed(records: list[dict[str, Any]], *lines: str, until: float = 10 * HOUR, **changes: Any) -> Bill:
    about = dataclasses.replace(ABOUT, until=10 * HOUR * 1000, **changes)
    return make_bill(ledger(*records), runs(*lines), about, 0, round(until * 1000))


def usd(bill: Bill) -> dict[str, float]:
    """Cents by boot, idle and id of a job."""
    sums: dict[str, float] = {}
    for charge in bill.charges:
        name = charge.kind if charge.run is None else bill.runs[charge.run].raw_id
        sums[name] = round(sums.get(name, 0) + charge.units / UNITS_PER_USD, 6)
    return sums


def codes(bill: Bill) -> list[str]:
    return [note.code for note in bill.notes]


def test_a_job_pays_for_the_largest_of_its_shares() -> None:
    half = line(1, HOUR, 2 * HOUR, AllocCPUS=2)
    memory = line(2, 2 * HOUR, 3 * HOUR, AllocTRES="cpu=1,mem=12000M,node=1")
    assert usd(billed(MACHINE, half, memory)) == {"boot": 4, "1": 2, "2": 3, "idle": 7}


def test_gpus_count_on_nodes_that_have_them() -> None:
    records = [
        machine("i-1", 0, node="gpu-1", queue="gpu"), registered("i-1", 0), ended("i-1", HOUR),
        price(0, "8", queue="gpu"),
    ]  # fmt: skip
    job = line(1, 0, HOUR, NodeList="gpu-1", Partition="gpu", AllocTRES="cpu=1,gres/gpu:a100=3,mem=1M,node=1")
    assert usd(billed(records, job)) == {"1": 6, "idle": 2}


def test_jobs_on_a_full_node_share_it() -> None:
    """Memory and CPUs together exceed the node."""
    one = line(1, HOUR, 4 * HOUR, AllocCPUS=3)
    other = line(2, HOUR, 4 * HOUR, AllocTRES="cpu=1,mem=12000M,node=1")
    assert usd(billed(MACHINE, one, other)) == {"boot": 4, "1": 6, "2": 6}


def test_a_job_of_several_nodes_pays_for_each() -> None:
    second = [machine("i-2", 0, node="cpu-2"), registered("i-2", 0), ended("i-2", 4 * HOUR)]
    job = line(1, HOUR, 2 * HOUR, AllocCPUS=8, NodeList="cpu-[1-2]", AllocTRES="cpu=8,mem=2G,node=2")
    assert usd(billed([*MACHINE, *second], job)) == {"boot": 4, "1": 8, "idle": 20}


def test_each_run_of_a_requeued_job_pays() -> None:
    first = line(1, HOUR, 2 * HOUR, State="NODE_FAIL", AllocCPUS=4)
    again = line(1, 3 * HOUR, 4 * HOUR, AllocCPUS=4)
    bill = billed(MACHINE, first, again)
    assert usd(bill) == {"boot": 4, "1": 8, "idle": 4}
    assert view_of(bill, "job").rows[0].jobs == 1


def test_a_changed_price_counts_from_its_time() -> None:
    bill = billed([*MACHINE, price(2.5 * HOUR, "8")], line(1, 2 * HOUR, 3 * HOUR, AllocCPUS=4))
    assert usd(bill) == {"boot": 4, "1": 6, "idle": 4 + 8}


def test_the_latest_price_that_fits_a_machine_counts() -> None:
    for_all = price(HOUR, "6", zone="", queue="")
    elsewhere = price(HOUR, "100", zone="z2")
    assert usd(billed([*MACHINE, for_all, elsewhere])) == {"boot": 4, "idle": 18}


def test_an_unknown_price_is_said_and_not_zero_in_silence() -> None:
    bill = billed([*MACHINE, price(2 * HOUR, None)], line(1, 2 * HOUR, 3 * HOUR, AllocCPUS=4))
    assert usd(bill) == {"boot": 4, "1": 0, "idle": 4}
    assert codes(bill) == ["no-price"]
    assert "2.00 node-hours without a price cost nothing here: c4 (on_demand)" in text_bill(view_of(bill, "user"))
    assert "ada ~" in text_bill(view_of(bill, "user"))


def test_a_price_recorded_later_is_used_and_marked() -> None:
    records = [*MACHINE[:3], price(2 * HOUR, "4")]
    bill = billed(records, line(1, HOUR, 2 * HOUR, AllocCPUS=4))
    assert usd(bill) == {"boot": 4, "1": 4, "idle": 8}
    assert codes(bill) == ["early-price"]
    assert bill.estimated() == {0}


def test_the_minimum_of_the_cloud_is_idle_time() -> None:
    records = [machine("i-1", 0), registered("i-1", 10), ended("i-1", 30), price(0, "360")]
    assert usd(billed(records, line(1, 10, 90, AllocCPUS=4), minimum_ms=60_000)) == {"boot": 1, "1": 2, "idle": 3}


def test_a_machine_that_still_runs_is_billed_until_the_end_of_the_records() -> None:
    records = [machine("i-1", 9 * HOUR), registered("i-1", 9 * HOUR), price(0, "4")]
    bill = billed(records, line(1, 9.5 * HOUR, "Unknown", Start=int(9.5 * HOUR), AllocCPUS=4), until=99 * HOUR)
    assert usd(bill) == {"1": 2, "idle": 2}
    assert bill.until == 10 * HOUR * 1000
    assert codes(bill) == ["ends-early", "running"]


def test_costs_before_the_records_are_left_out_and_said() -> None:
    about = dataclasses.replace(ABOUT, since=2 * HOUR * 1000, until=10 * HOUR * 1000)
    bill = make_bill(ledger(*MACHINE, service(0, "1")), [], about, 0, about.until)
    assert bill.total == (2 * 4 + 8) * UNITS_PER_USD
    assert codes(bill) == ["begins-late"]


def test_the_best_end_of_a_machine_counts() -> None:
    ends = [
        ended("i-1", 3 * HOUR, ended_by="list"), ended("i-1", 2 * HOUR, ended_by="daemon"),
        ended("i-1", HOUR, ended_by="daemon", corrected=-1), ended("i-1", 9 * HOUR, ended_by="rebuilt"),
    ]  # fmt: skip
    records = [machine("i-1", 0), registered("i-1", 0), price(0, "4"), *ends]
    assert usd(billed(records)) == {"idle": 8}
    seen = {"kind": "seen", "id": "i-1", "at": 2.5 * HOUR}
    assert usd(billed([*records, seen])) == {"idle": 12}
    assert codes(billed([*records, seen])) == ["late-end"]


def test_a_corrected_record_replaces_an_earlier_one() -> None:
    records = [
        machine("i-1", 9 * HOUR, started_by="daemon"), machine("i-1", HOUR, started_by="daemon", corrected=1),
        registered("i-1", 0), registered("i-1", 2 * HOUR, corrected=1), ended("i-1", 3 * HOUR), price(0, "4"),
    ]  # fmt: skip
    assert usd(billed(records)) == {"boot": 4, "idle": 4}


def test_a_machine_that_replaces_another_gets_the_jobs_from_its_registration() -> None:
    records = [
        *MACHINE, machine("i-2", 2 * HOUR), registered("i-2", 3 * HOUR), ended("i-2", 5 * HOUR),
    ]  # fmt: skip
    job = line(1, 2 * HOUR, 5 * HOUR, AllocCPUS=4)
    assert usd(billed(records, job)) == {"boot": 8, "1": 12, "idle": 8}


def test_a_boot_without_record_of_its_end_ends_with_the_first_job() -> None:
    records = [machine("i-1", 0), ended("i-1", 4 * HOUR), price(0, "4")]
    assert usd(billed(records)) == {"boot": 16}
    assert usd(billed(records, line(1, 2 * HOUR, 3 * HOUR, AllocCPUS=4))) == {"boot": 8, "1": 4, "idle": 4}


def test_jobs_without_a_machine_are_said() -> None:
    bill = billed(MACHINE, line(1, 6 * HOUR, 8 * HOUR))
    assert codes(bill) == ["no-machine"]
    assert bill.jobs_elsewhere_ms == 2 * HOUR * 1000
    lost = line(2, HOUR, 8 * HOUR)
    assert codes(billed(MACHINE, lost)) == []


def test_estimates_and_gaps_are_said() -> None:
    gap = {"kind": "gap", "since": HOUR, "until": 2 * HOUR, "why": "the ledger was lost"}
    clock = {"kind": "clock", "at": HOUR, "step": 90}
    records = [machine("i-1", 0, started_by="rebuilt"), ended("i-1", HOUR), price(0, "4"), ended("i-9", 5)]
    bill = billed([*records, gap, clock, {"kind": "hologram"}])
    assert codes(bill) == ["gap", "clock", "unknown-records", "rebuilt", "no-start"]
    assert (
        "nothing was recorded from 1970-01-01 01:00 until 1970-01-01 02:00 (the ledger was lost)"
        in bill.notes[0].text
    )


def test_nodes_of_unknown_size_are_shared_by_cpus() -> None:
    one, three = line(1, HOUR, 4 * HOUR), line(2, HOUR, 4 * HOUR, AllocCPUS=3)
    bill = billed(MACHINE, one, three, nodes={})
    assert usd(bill) == {"boot": 4, "1": 3, "2": 9}
    assert codes(bill) == ["no-capacity"]


def test_a_service_costs_until_it_is_removed() -> None:
    bill = billed([service(0, "1"), service(2 * HOUR, "3"), service(4 * HOUR, "0"), service(0, None, "disk")])
    assert bill.total == 8 * UNITS_PER_USD
    assert [note.text for note in bill.notes] == ["without a price, and not in the total: disk"]


SHARED = [*MACHINE, service(0, "1")]
"""22 USD that are not of jobs, if a job has 4 of 16."""


@pytest.mark.parametrize(
    ("rule", "rows"),
    [
        ("in_proportion", {"acme": (3, 16.5), "birch": (1, 5.5), "cedar": (0, 0)}),
        ("equally", {"acme": (3, 7.34), "birch": (1, 7.33), "cedar": (0, 7.33)}),
        ("apart", {"acme": (3, 0), "birch": (1, 0), "cedar": (0, 0), "(shared costs)": (0, 22)}),
    ],
)
def test_shared_costs_are_divided_by_the_rule(rule: str, rows: dict[str, tuple[float, float]]) -> None:
    jobs = runs(
        line(1, HOUR, 2 * HOUR, AllocCPUS=3, Account="nlp"), line(2, 2 * HOUR, 3 * HOUR, Account="birch", User="bea")
    )
    about = dataclasses.replace(ABOUT, until=10 * HOUR * 1000)
    bill = make_bill(ledger(*SHARED), jobs, about, 0, about.until, rule)
    view = view_of(bill, "organization")
    assert {row.name: (row.job_costs / 100, row.shared / 100) for row in view.rows} == rows


@pytest.mark.parametrize("rule", ["in_proportion", "apart"])
def test_shared_costs_that_are_not_divided_are_said_so(rule: str) -> None:
    """Also where no job could pay for them."""
    about = dataclasses.replace(ABOUT, until=10 * HOUR * 1000)
    said = text_bill(view_of(make_bill(ledger(*SHARED), [], about, 0, about.until, rule), "organization"))
    assert "\nNot divided.\n" in said
    assert "\n(shared costs)     0        0.00       0.00         26.00  26.00\n" in said


def test_idle_time_of_a_queue_is_paid_by_its_jobs() -> None:
    gpu = [
        machine("i-9", 0, node="gpu-1", queue="gpu"), registered("i-9", 0), ended("i-9", 2 * HOUR),
        price(0, "10", queue="gpu"),
    ]  # fmt: skip
    cpu_job = line(1, HOUR, 4 * HOUR, AllocCPUS=4)
    gpu_job = line(2, 0, HOUR, AllocTRES="gres/gpu=4", NodeList="gpu-1", Partition="gpu", Account="birch")
    view = view_of(billed([*MACHINE, *gpu], cpu_job, gpu_job), "queue")
    assert {row.name: (row.job_costs, row.shared) for row in view.rows} == {"cpu": (1200, 400), "gpu": (1000, 1000)}


def test_amounts_are_divided_and_shown_without_a_rest() -> None:
    assert divided(10, [1, 1, 1]) == [3, 3, 4]
    assert divided(7, [0, 2, 0]) == [0, 7, 0]
    third = UNITS_PER_USD // 3
    assert shown([third, third, UNITS_PER_USD - 2 * third], 2) == [34, 33, 33]
    assert shown([third] * 3, 2, 99) == [33, 33, 33]
    assert (nano_usd("3.06"), nano_usd("0.000000001"), nano_usd("1.50000000000")) == (3_060_000_000, 1, 1_500_000_000)
    assert (decimal(123456789, 2, ","), decimal(-5, 2), decimal(5, 9)) == ("1,234,567.89", "-0.05", "0.000000005")


@pytest.mark.parametrize(("exported", "costs"), [(30, 6), (40, 3)])
def test_a_minimum_that_is_not_over_is_billed_once(exported: int, costs: int) -> None:
    """At the end of an export; the rest is in the bill of the next period if the export was made later."""
    about = dataclasses.replace(ABOUT, until=30_000, exported=exported * 1000, minimum_ms=60_000)
    records = [machine("i-1", 0), registered("i-1", 0), ended("i-1", 20), price(0, "360")]
    assert make_bill(ledger(*records), [], about, 0, 30_000).total == costs * UNITS_PER_USD
