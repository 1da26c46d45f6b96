from collections.abc import Callable, Mapping
from contextlib import suppress
from decimal import Decimal

from hpc_components.elastic.config import Config
from hpc_components.elastic.drivers.contract import LaunchError, SpotPriced
from hpc_components.elastic.model import Pool

EVERY_SECONDS = 600.0
"""Seconds between two readings of the prices, also after a failure."""


class SpotPrices:
    """The current prices of the cluster's spot machines, if the cloud reports them."""

    def __init__(self, config: Config, driver: object, clock: Callable[[], float]) -> None:
        pools = [pool for queue in config.queues for pool in queue.pools if pool.purchase == "spot"]
        self._pools = pools if hasattr(driver, "spot_prices") else []
        self._driver: SpotPriced = driver  # ty: ignore
        self._clock = clock
        self._next = 0.0
        self.source = f"{config.cloud}, current spot price"
        self.prices: Mapping[Pool, Decimal] = {}
        """The last prices that were read, in USD per hour."""

    def look(self) -> int:
        """Read the prices if they may have changed. If that fails, the last ones stay valid. Return the number of
        calls to the driver."""
        now = self._clock()
        if not self._pools or self._next - EVERY_SECONDS <= now < self._next:
            return 0
        self._next = now + EVERY_SECONDS
        with suppress(OSError, LaunchError):  # e.g. the permission is missing until the stack is updated
            self.prices = {**self.prices, **self._driver.spot_prices(self._pools)}
        return 1
