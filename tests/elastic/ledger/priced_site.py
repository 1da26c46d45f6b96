"""A site of the cycles' tests whose daemon keeps a ledger."""

import json
from pathlib import Path

from elastic.cycle.stubs import LIMITS, M1, M2, Site
from hpc_components.elastic.ledger.file import LedgerFiles, read
from hpc_components.elastic.ledger.ledger import Ledger
from hpc_components.elastic.ledger.records import Record
from hpc_components.elastic.ledger.spot import SpotPrices
from hpc_components.elastic.model import InstanceState

PRICES = {M1: "3.6", M2: "1.8"}
"""USD per hour: a tenth of a cent a second, and half of it."""


def prices_json(prices=PRICES, services=(("head node", "head", "0.36"),)) -> str:
    origin = {"basis": "list", "source": "a test", "as_of": "2026-10-01"}
    machines = [
        {**vars(pool), "usd_per_hour": usd, "disks_usd_per_hour": "0.1", **origin} for pool, usd in prices.items()
    ]
    named = [{"what": what, "group": group, "usd_per_hour": usd, **origin} for what, group, usd in services]
    return json.dumps({"version": 1, "currency": "USD", "machines": machines, "services": named})


class PricedSite(Site):
    def __init__(self, folder: Path, count: int = 8, **more: object) -> None:
        self.folder = folder
        self.ledger_folder = folder / "ledger"
        self.set_prices(prices_json())
        super().__init__(folder, count, **more)

    def set_prices(self, text: str) -> None:
        beside = self.folder / "prices.json.new"
        beside.write_text(text)
        beside.replace(self.folder / "prices.json")

    def make_ledger(self, clock) -> Ledger:
        spot = SpotPrices(self.config, self.cloud, clock)
        return Ledger(
            LedgerFiles(self.ledger_folder),
            self.folder / "prices.json",
            clock,
            LIMITS,
            spot,
            earlier=self.journal.found,
        )

    def records(self, *kinds: type) -> list[Record]:
        def fail(words: str) -> None:
            raise AssertionError(words)

        found = list(read(sorted(self.ledger_folder.glob("*.jsonl")), fail))
        return [each for each in found if isinstance(each, kinds)] if kinds else found

    def go(self, id: str, **more: object) -> None:
        self.cloud.change(id, state=InstanceState.GONE, **more)
