"""Prices that the ledger records: of the description, of services, and of spot machines as the cloud tells them."""

from decimal import Decimal

import pytest

from elastic.cycle.stubs import M1, M2, START, StubCloud
from elastic.ledger.priced_site import PRICES, PricedSite, prices_json
from elastic.ledger.test_ledger import launched
from hpc_components.elastic.drivers.contract import RefusedError
from hpc_components.elastic.ledger.records import PriceSet, ServiceSet
from hpc_components.elastic.ledger.spot import EVERY_SECONDS
from hpc_components.elastic.report.events import EventKind


@pytest.fixture
def site(tmp_path):
    return PricedSite(tmp_path)


def test_prices_and_services_are_recorded_when_they_change(site):
    launched(site, 1)
    assert {each.usd_per_hour for each in site.records(PriceSet)} == set(PRICES.values())
    assert [(each.what, each.usd_per_hour) for each in site.records(ServiceSet)] == [("head node", "0.36")]
    site.set_prices(prices_json({M1: "7.2", M2: "1.8"}, [("scratch", "storage", "0.1")]))
    site.run()
    site.run()
    *_, last = site.records(PriceSet)
    assert (last.since, last.machine, last.usd_per_hour) == (site.now - 5, "m1", "7.2")
    changed = [(each.what, each.usd_per_hour) for each in site.records(ServiceSet)]
    assert changed == [("head node", "0.36"), ("scratch", "0.1"), ("head node", "0")]
    site.start()
    site.run()
    assert len(site.records(PriceSet)) == 3


class SpotCloud(StubCloud):
    """Tells the prices of spot machines."""

    usd = "0.9"
    wrong: Exception | None = None

    def spot_prices(self, pools):
        self._answer("spot_prices")
        if self.wrong:
            raise self.wrong
        return {pool: Decimal(self.usd) for pool in pools}


def test_a_price_of_the_cloud_takes_precedence_and_includes_the_disks(site):
    site.cloud = SpotCloud(site.clock)
    site.cloud.fails["spot_prices"] = []
    site.start()
    launched(site, 1)
    site.cloud.usd = "0.8"
    site.run()
    site.cloud.wrong = RefusedError("not authorized")
    site.run(EVERY_SECONDS)
    site.cloud.wrong = None
    site.run(EVERY_SECONDS)
    told = [(each.since, each.usd_per_hour, each.basis) for each in site.records(PriceSet) if each.machine == "m2"]
    assert told == [(START + 5, "1", "spot"), (site.now, "0.9", "spot")]
    assert site.cloud.asked.count("spot_prices") == 3


def test_a_recorded_spot_price_holds_until_the_cloud_has_answered_the_next_daemon(site):
    site.cloud = SpotCloud(site.clock)
    site.cloud.fails["spot_prices"] = []
    site.start()
    launched(site, 1)
    site.cloud.wrong = RefusedError("not authorized")
    site.start()
    site.run()
    assert [each.usd_per_hour for each in site.records(PriceSet) if each.machine == "m2"] == ["1"]
    site.set_prices(prices_json(PRICES | {M2: "0.7"}).replace('"list"', '"contract"'))
    site.run()
    assert [each.usd_per_hour for each in site.records(PriceSet) if each.machine == "m2"] == ["1", "0.7"]


def test_a_malformed_price_list_is_named_and_the_last_prices_stay(site):
    launched(site, 1)
    site.set_prices("{}")
    report = site.run()
    assert [event.words for event in report.events if event.kind is EventKind.LEDGER] == [
        "can't read the prices: KeyError: 'version'"
    ]
    assert site.ledger.spending.rate(site.now) == 3_960_000_000


@pytest.mark.parametrize("usd", ["1.0123456789", "-1", "1e3", ""])
def test_an_amount_that_is_not_exact_is_refused(site, usd):
    site.set_prices(prices_json({M1: usd}))
    report = site.run()
    (told,) = [event.words for event in report.events if event.kind is EventKind.LEDGER]
    assert (
        told
        == f"can't read the prices: usd_per_hour: {usd!r} must be a decimal number with at most 9 decimals, in quotes"
    )
