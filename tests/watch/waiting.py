import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def wait_for(ready: Callable[[], T], what: str, seconds: float = 120) -> T:
    """Return what `ready` returns as soon as that is true. Raise AssertionError if it never is."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if found := ready():
            return found
        time.sleep(0.2)
    raise AssertionError(f"not in {seconds} s: {what}")
