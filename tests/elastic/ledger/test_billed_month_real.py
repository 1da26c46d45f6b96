"""The ledger of real daemons against the meter of the cloud, which knows nothing of ledgers."""

import base64
import io
import json
import tarfile
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import pytest

from elastic.ledger import billed_month
from elastic.ledger.billed_month import PEOPLE, Month
from elastic.ledger.metered_cloud import MINIMUM_MS, usd_between
from hpc_components.elastic.ledger.news import Known
from hpc_components.elastic.ledger.records import PriceSet, ServiceSet, record_of
from hpc_components.elastic.model import Pool
from hpc_components.rehearse.hosts.sandbox import Sandbox
from tests.rehearse.performing import lacks

pytestmark = [pytest.mark.slurm, pytest.mark.slow]

UNITS = 10**9 * 3_600_000
"""Units of bills in a dollar."""
JOBS = {"22.05": 60, "24.11": 500}


@dataclass
class Exported:
    month: Month
    submitted: int
    """Number of jobs. Their ids begin with 1."""
    about: dict
    jobs: list[dict[str, str]]
    records: list
    known: Known

    def usd(self, id: str) -> Fraction:
        """What a machine has cost according to the ledger."""
        life, minimum = self.known.lives[id], self.about["minimum_seconds"] * 1000
        first = life.started
        pool = Pool(queue=first.queue, machine=first.machine, zone=first.zone, purchase=first.purchase)
        begin, end = round(first.started * 1000), round(life.ended.ended * 1000)
        return usd_between(self.prices(pool), begin, max(end, begin + minimum))

    def prices(self, pool: Pool) -> list[tuple[int, Fraction]]:
        own = [each for each in self.records if isinstance(each, PriceSet) and _pool(each) == pool]
        return [(round(each.since * 1000), Fraction(each.usd_per_hour)) for each in own]

    def services(self, until: int) -> Fraction:
        """What everything else has cost."""
        total, whats = Fraction(0), {}
        for each in self.records:
            if isinstance(each, ServiceSet):
                whats.setdefault(each.what, []).append((round(each.since * 1000), Fraction(each.usd_per_hour)))
        for history in whats.values():
            total += usd_between(history, history[0][0], until)
        return total


def _pool(price: PriceSet) -> Pool:
    return Pool(queue=price.queue, machine=price.machine, zone=price.zone, purchase=price.purchase)


def read(month: Month, submitted: int) -> Exported:
    with tarfile.open(fileobj=io.BytesIO(base64.b64decode(month.export))) as archive:
        files = {each.name: archive.extractfile(each).read().decode() for each in archive}
    head, *rows = files["jobs.psv"].splitlines()
    names = head.split("|")
    records = [record_of(line) for line in files["ledger.jsonl"].splitlines()]
    known = Known()
    for record in records:
        known.apply(record)
    jobs = [dict(zip(names, row.split("|", len(names) - 1), strict=True)) for row in rows]
    return Exported(month, submitted, json.loads(files["about.json"]), jobs, records, known)


@pytest.fixture(scope="module", params=JOBS)
def exported(request) -> Exported:
    if reason := lacks(request.param):
        pytest.skip(reason)
    arguments = billed_month.setup(request.param), JOBS[request.param]
    with Sandbox(billed_month.call, billed_month.busy, *arguments) as sandbox:
        return read(sandbox.result(), JOBS[request.param])


def cents(usd: Fraction) -> int:
    return round(usd * 100)


def test_every_machine_costs_what_the_meter_says(exported):
    meter = exported.month.meter
    assert exported.known.lives.keys() == meter.begun.keys()
    now = round(exported.about["until"] * 1000)
    ours = {id: cents(exported.usd(id)) for id in meter.begun}
    assert ours == {id: cents(meter.usd(id, now)) for id in meter.begun}
    assert sum(ours.values()) > 10_000, "prices are so high that a tenth of a second counts"
    total = sum(exported.usd(id) for id in meter.begun)
    assert total == sum(meter.usd(id, now) for id in meter.begun)


def test_the_daemons_own_sum_is_the_same(exported):
    costs = json.loads(exported.month.status)["costs"]
    machines = sum(Decimal(usd) for usd in costs["queues"].values())
    meter = exported.month.meter
    assert abs(Fraction(machines) - sum(meter.usd(id, 0) for id in meter.begun)) < Fraction(1, 10**6)
    assert costs["unpriced"] == []
    at = round(json.loads(exported.month.status)["cycle"]["time"] * 1000)
    assert abs(Fraction(costs["services"]) - exported.services(at)) < Fraction(1, 10**3)


def test_the_price_changed_when_the_daemon_read_it(exported):
    before, after = exported.month.changed
    times = {each.since for each in exported.records if isinstance(each, PriceSet)}
    assert len(times) == 2
    assert round(before, 3) <= max(times) <= after, "records have milliseconds"


def test_all_runs_of_all_jobs_are_exported(exported):
    """Jobs that ran when the head node was lost, or just before, are exempt: from 24.11 on, slurmctld does not send
    their start to slurmdbd again, which ignores the end of a job that it does not know; and a job whose end was not
    saved runs on in slurmctld's records, up to its time limit. Source: Slurm's source 24.11.5, job_record_set_sluid
    (job_mgr.c), as_mysql_job_complete.
    """
    jobs = {row["JobIDRaw"] for row in exported.jobs}
    done = Counter(row["JobIDRaw"] for row in exported.jobs if row["State"] == "COMPLETED")
    submitted = set(map(str, range(1, exported.submitted + 1)))
    interrupted = exported.month.interrupted
    assert jobs - submitted == set()
    assert submitted - jobs <= interrupted
    assert submitted - done.keys() <= interrupted, [row for row in exported.jobs if row["JobIDRaw"] not in done]
    assert {done[job] for job in done.keys() - interrupted} == {1}
    assert {row["User"] for row in exported.jobs} == PEOPLE.keys()
    assert len(exported.jobs) > len(jobs), "jobs of reclaimed machines ran again"
    accounts = {name: owner for name, _, owner in exported.about["accounts"]}
    assert {owner for owner in accounts.values() if owner} == set(PEOPLE.values())
    assert exported.about["nodes"]["cpu"] == {"cpus": 8, "memory_mib": 15696, "gpus": 0}


def test_all_misfortunes_are_recorded(exported):
    """Spot losses, machines that never booted, a killed daemon, a replaced head node."""
    whys = Counter(life.ended.why for life in exported.known.lives.values())
    assert whys["reclaimed"] >= 2
    assert whys["idle"] >= 3
    assert exported.month.daemons >= 2
    assert exported.about["minimum_seconds"] * 1000 == MINIMUM_MS


def test_a_lost_ledger_is_rebuilt_from_what_slurmdbd_knows(exported):
    known = Known()
    for line in exported.month.rebuilt.splitlines():
        known.apply(record_of(line))
    lives = list(known.lives.values())
    assert {life.started.started_by for life in lives} == {"rebuilt"}
    for row in exported.jobs:
        if row["State"] == "COMPLETED":
            assert any(
                life.started.node == row["NodeList"]
                and life.started.started <= int(row["Start"])
                and int(row["End"]) <= life.ended.ended
                for life in lives
            ), row
    seconds = sum(life.ended.ended - life.started.started for life in lives)
    meter = exported.month.meter
    real = sum(meter.ended[id] - begin for id, (_, begin) in meter.begun.items()) / 1000
    assert 0.3 < seconds / real < 1.5, "boots, and idle times before the first job, are not known"


def test_each_bill_adds_up_to_the_meter(exported):
    bills = pytest.importorskip("hpc_components.bill.bill", reason="bills are not made here yet")
    exports = pytest.importorskip("hpc_components.bill.export")
    views = pytest.importorskip("hpc_components.bill.views")
    files = exports.unpacked("the export", base64.b64decode(exported.month.export))
    found = exports.read_export("the export", files.__getitem__)
    bill = bills.make_bill(found.ledger, found.runs, found.about, found.about.since, found.about.until)
    meter = exported.month.meter
    machines = sum(meter.usd(id, found.about.until) for id in meter.begun)
    assert Fraction(sum(charge.units for charge in bill.charges), UNITS) == machines
    assert Fraction(bill.total, UNITS) == machines + exported.services(found.about.until)
    whole = views.view_of(bill, "organization")
    assert whole.total.total == cents(Fraction(bill.total, UNITS))
    assert {row.name for row in whole.rows} == set(PEOPLE.values())
    for row in whole.rows:
        for by in views.BY:
            assert views.view_of(bill, by, row.name).total.total == row.total
