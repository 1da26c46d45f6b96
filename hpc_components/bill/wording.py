import datetime

_HOUR_MS = 3_600_000


def moment(milliseconds: int) -> str:
    """Write a time such as `2026-11-28 12:00` (UTC), with seconds if they are not 0."""
    time = datetime.datetime.fromtimestamp(milliseconds // 1000, datetime.timezone.utc)  # noqa: UP017 (Python 3.10)
    return time.strftime("%Y-%m-%d %H:%M:%S").removesuffix(":00")


def iso(milliseconds: int) -> str:
    """Write a time such as `2026-11-28T12:00:00Z`."""
    time = datetime.datetime.fromtimestamp(milliseconds // 1000, datetime.timezone.utc)  # noqa: UP017 (Python 3.10)
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def hours(milliseconds: int, decimals: int = 2) -> str:
    """Write milliseconds as hours."""
    scaled = (milliseconds * 10**decimals * 2 + _HOUR_MS) // (2 * _HOUR_MS)
    return f"{scaled // 10**decimals:,}.{scaled % 10**decimals:0{decimals}d}"


def month_of(milliseconds: int) -> tuple[int, int]:
    """Return the first moment of a time's month and that of the next month, in UTC."""
    time = datetime.datetime.fromtimestamp(milliseconds // 1000, datetime.timezone.utc)  # noqa: UP017 (Python 3.10)
    first = time.replace(day=1, hour=0, minute=0, second=0)
    following = (first + datetime.timedelta(days=32)).replace(day=1)
    return round(first.timestamp() * 1000), round(following.timestamp() * 1000)
