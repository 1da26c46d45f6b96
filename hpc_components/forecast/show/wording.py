from datetime import UTC, datetime


def duration(seconds: float) -> str:
    """Return a duration with at most two units: `45 s`, `12 min`, `3 h 20 min` or `2 d 5 h`."""
    whole = round(seconds)
    if whole < 120:
        return f"{whole} s"
    minutes = round(whole / 60)
    if minutes < 120:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h" if hours else f"{days} d"


def share(part: float | None) -> str:
    return "-" if part is None else f"{part:.0%}"


def day(time: int) -> str:
    return f"{datetime.fromtimestamp(time, UTC):%Y-%m-%d}"


def usd(amount: float) -> str:
    return f"{amount:,.2f}"
