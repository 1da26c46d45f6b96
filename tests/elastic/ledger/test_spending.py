"""Running sums against a plain re-computation of every machine."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from hpc_components.elastic import months
from hpc_components.elastic.ledger.records import Ended, PriceSet, ServiceSet, Started
from hpc_components.elastic.ledger.spending import Spending
from hpc_components.elastic.model import Pool

DECEMBER = 1796083200.0  # 2026-12-01 00:00 UTC
HOUR = 3600.0


def started(id, at, queue="q", by="cloud"):
    return Started(
        id=id, node=f"{queue}-1", queue=queue, machine="m", zone="z", purchase="spot", started=at, started_by=by
    )


def ended(id, at, by="daemon"):
    return Ended(id=id, ended=at, ended_by=by, why="idle")


def priced(since, usd, queue="q"):
    return PriceSet(
        since=since, queue=queue, machine="m", zone="z", purchase="spot", usd_per_hour=usd, basis="list",
        source="", as_of="",
    )  # fmt: skip


def service(since, usd, what="head node"):
    return ServiceSet(since=since, what=what, group="head", usd_per_hour=usd, basis="list", source="", as_of="")


def spending(*records, minimum=0.0):
    made = Spending(minimum)
    made.apply(records)
    return made


def test_running_machines_and_services_are_counted_to_this_moment():
    made = spending(priced(DECEMBER, "2"), started("i-1", DECEMBER), service(DECEMBER, "0.5"))
    assert made.month_to_date(DECEMBER + HOUR) == 2_500_000_000
    assert made.rate(DECEMBER + HOUR) == 2_500_000_000
    made.apply([ended("i-1", DECEMBER + 2 * HOUR)])
    assert made.by_queue(DECEMBER + 3 * HOUR) == {"q": 4_000_000_000}
    assert made.rate(DECEMBER + 3 * HOUR) == 500_000_000


def test_a_month_begins_with_nothing_spent():
    made = spending(priced(DECEMBER - HOUR, "2"), started("i-1", DECEMBER - HOUR), started("i-2", DECEMBER - HOUR))
    assert made.month_to_date(DECEMBER - 1) > 3_998_000_000
    made.apply([ended("i-2", DECEMBER - 1)])
    assert made.month_to_date(DECEMBER) == 0
    assert made.month_to_date(DECEMBER + HOUR) == 2_000_000_000


def test_the_better_time_of_an_end_counts():
    made = spending(priced(DECEMBER, "1"), started("i-1", DECEMBER), ended("i-1", DECEMBER + 2 * HOUR, "list"))
    made.apply([ended("i-1", DECEMBER + HOUR, "cloud"), ended("i-1", DECEMBER + 3 * HOUR, "daemon")])
    assert made.month_to_date(DECEMBER + 4 * HOUR) == 1_000_000_000


def test_a_short_life_costs_the_minimum():
    made = spending(priced(DECEMBER, "60"), started("i-1", DECEMBER), ended("i-1", DECEMBER + 1), minimum=60.0)
    assert made.month_to_date(DECEMBER + HOUR) == 1_000_000_000


def test_a_machine_from_before_the_ledger_was_lost_counts_at_the_first_price_but_a_service_does_not():
    made = spending(started("i-1", DECEMBER), ended("i-1", DECEMBER + HOUR), started("i-2", DECEMBER))
    later = DECEMBER + 2 * HOUR
    made.apply([priced(later, "1"), service(later, "10"), priced(later + HOUR, "2")])
    assert made.by_queue(DECEMBER + 3 * HOUR) == {"q": 4_000_000_000}
    assert made.services(DECEMBER + 3 * HOUR) == 10_000_000_000


def test_a_pool_without_a_price_is_named():
    made = spending(started("i-1", DECEMBER))
    assert made.unpriced(DECEMBER) == [Pool(queue="q", machine="m", zone="z", purchase="spot")]
    made.apply([priced(DECEMBER, "1")])
    assert made.unpriced(DECEMBER) == []


TIMES = st.integers(-5000, 20000)
LIVES = st.lists(st.tuples(st.sampled_from("qr"), TIMES, st.none() | st.integers(0, 9000)), max_size=8)
PRICES = st.lists(st.tuples(st.sampled_from("qr"), TIMES, st.none() | st.integers(0, 9)), max_size=8)


@given(LIVES, PRICES, st.permutations(range(24)), st.integers(0, 25000), st.sampled_from([0, 60]))
def test_sums_are_those_of_a_plain_computation_in_any_order(lives, prices, order, now, minimum):
    prices = list({(queue, at): (queue, at, usd) for queue, at, usd in prices}.values())
    records = [priced(DECEMBER + at, usd and str(usd), queue) for queue, at, usd in prices]
    for number, (queue, start, lasts) in enumerate(lives):
        records.append(started(f"i-{number}", DECEMBER + start, queue))
        if lasts is not None:
            records.append(ended(f"i-{number}", DECEMBER + start + lasts))
    ranks = dict(zip(map(id, records), order, strict=False))
    made = Spending(minimum)
    made.month_to_date(DECEMBER)
    first = sorted(records, key=lambda each: (isinstance(each, Ended), ranks[id(each)]))
    for record in first:
        made.apply([record])
        made.month_to_date(DECEMBER)
    expected = Fraction(0)
    for queue, start, lasts in lives:
        end = now if lasts is None else start + max(lasts, minimum)
        own = sorted((at, usd or 0) for name, at, usd in prices if name == queue)
        for index, (at, usd) in enumerate(own):
            at = at if index else -5000  # the first price also counts before its time
            until = own[index + 1][0] if index + 1 < len(own) else max(end, 0)
            span = min(end, until) - max(start, at, 0)
            expected += Fraction(usd * max(span, 0), 3600)
    running_early = any(lasts is None and start > now for _, start, lasts in lives)
    if not running_early:
        assert abs(made.month_to_date(DECEMBER + now) - expected * 10**9) <= 1


def test_the_month_is_utc():
    assert months.begins(DECEMBER + 5) == DECEMBER
    assert months.begins(DECEMBER - 1) < DECEMBER
