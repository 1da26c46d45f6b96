"""How often a driver calls each API: a token bucket for each, and a growing pause after every throttling."""

import threading
import time
from collections.abc import Callable, Mapping

from hpc_components.elastic.drivers.contract import ThrottledError

__all__ = ["Pace"]

LONGEST_PAUSE = 64.0
"""Seconds."""


class Pace:
    """Keeps to the rate at which an account may call each API, which it shares with everybody else in the account.

    `limits` are burst and requests per second by API, `other` those of all APIs that it does not name. When the burst
    is used up, `take` waits for the next token. If the cloud throttles all the same, the API is not called for 1 s,
    then 2, 4, ... up to 64 s: until then `take` raises ThrottledError. May be used from any thread.
    """

    def __init__(
        self,
        limits: Mapping[str, tuple[float, float]],
        other: tuple[float, float],
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._limits, self._other = limits, other
        self._clock, self._sleep = clock, sleep
        self._lock = threading.Lock()
        self._tokens: dict[str, tuple[float, float]] = {}
        self._pauses: dict[str, tuple[float, float]] = {}

    def take(self, api: str) -> None:
        """Wait for the next token of `api`; ThrottledError during a pause."""
        burst, rate = self._limits.get(api, self._other)
        with self._lock:
            now = self._clock()
            _, until = self._pauses.get(api, (0.0, now))
            if until > now:
                raise ThrottledError(f"{api} was called too often; it is left alone for {until - now:.0f} s more")
            left, since = self._tokens.get(api, (burst, now))
            left = min(burst, left + (now - since) * rate) - 1
            self._tokens[api] = left, now
        if left < 0:
            self._sleep(-left / rate)

    def throttled(self, api: str) -> None:
        """The cloud has throttled `api`: pause, each time twice as long."""
        with self._lock:
            length, _ = self._pauses.get(api, (0.5, 0.0))
            length = min(2 * length, LONGEST_PAUSE)
            self._pauses[api] = length, self._clock() + length

    def answered(self, api: str) -> None:
        """The cloud has answered: no more pauses."""
        self._pauses.pop(api, None)
