from collections.abc import Callable, Collection, Iterator
from datetime import datetime, timezone
from decimal import Decimal

from hpc_components.elastic.drivers.aws.api import Api
from hpc_components.elastic.model import Pool

PAGE = 1000
"""Maximum number of prices in one response. Source: EC2 API reference, DescribeSpotPriceHistory."""
SYSTEM = "Linux/UNIX"


def spot_prices(api: Api, pools: Collection[Pool], clock: Callable[[], float]) -> dict[Pool, Decimal]:
    """Return the current spot prices in USD per hour. Pools without a price are left out.

    Zones are asked for one by one, because the SDK of Ubuntu 22.04 does not report the ids of zones.
    """
    found: dict[Pool, Decimal] = {}
    for zone in sorted({pool.zone for pool in pools}):
        here = [pool for pool in pools if pool.zone == zone]
        latest: dict[str, tuple[datetime, str]] = {}
        for machine, at, usd in _told(api, zone, sorted({pool.machine for pool in here}), clock()):
            if machine not in latest or latest[machine][0] < at:
                latest[machine] = at, usd
        found |= {pool: Decimal(latest[pool.machine][1]) for pool in here if pool.machine in latest}
    return found


def _told(api: Api, zone: str, machines: list[str], now: float) -> Iterator[tuple[str, datetime, str]]:
    """Yield (machine type, time, price). With a start time of now, EC2 returns the prices that are valid now. Source:
    EC2 API reference, DescribeSpotPriceHistory."""
    at = datetime.fromtimestamp(now, timezone.utc)  # noqa: UP017  Python 3.10
    pages = api.pages(
        "DescribeSpotPriceHistory",
        Filters=[{"Name": "availability-zone-id", "Values": [zone]}],
        InstanceTypes=machines,
        ProductDescriptions=[SYSTEM],
        StartTime=at,
        EndTime=at,
        MaxResults=PAGE,
    )
    for page in pages:
        for each in page["SpotPriceHistory"]:
            yield each["InstanceType"], each["Timestamp"], each["SpotPrice"]
