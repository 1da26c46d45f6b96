import threading
import time
from collections.abc import Callable, Mapping

from hpc_components.elastic.drivers.contract import ThrottledError

MAX_PAUSE_SECONDS = 64.0
_DUST = 1e-6
"""Fraction of a token that may be missing without causing a delay. Refilling this much takes less time than the
shortest possible sleep."""


class Pace:
    """Enforces each API's rate limit, which all users of an account share.

    `limits` maps each API to its burst size and requests per second. `other` applies to all remaining APIs. If a
    cloud counts the calls for each resource separately, call the methods with `api:resource`: every such name has a
    separate bucket with the limits of `api`.

    When the burst is used up, `take` waits for the next token. If the cloud throttles anyway, the API is paused for 1
    s, then 2 s, 4 s and so on up to 64 s, or for longer if the cloud requests a longer pause. During a pause, `take`
    raises ThrottledError. Thread-safe.
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
        with self._lock:
            now = self._clock()
            pause = self._pause(api, now)
            if pause > 0:
                raise ThrottledError(f"{api} was called too often; no calls for another {pause:.0f} s")
            left, rate = self._left(api, now)
            self._tokens[api] = left - 1, now
        if left < 1:
            self._sleep((1 - left) / rate)

    def delay(self, api: str) -> float:
        """Return the number of seconds until `take` would neither wait nor raise."""
        with self._lock:
            now = self._clock()
            left, rate = self._left(api, now)
            lacking = 1 - left if left < 1 - _DUST else 0.0
            return max(self._pause(api, now), lacking / rate, 0.0)

    def throttled(self, api: str, seconds: float = 0.0) -> None:
        """Start a pause of at least `seconds`, because the cloud has throttled `api`."""
        with self._lock:
            length, _ = self._pauses.get(api, (0.5, 0.0))
            length = min(2 * length, MAX_PAUSE_SECONDS)
            self._pauses[api] = length, self._clock() + max(length, seconds)

    def answered(self, api: str) -> None:
        """Reset the pauses after a successful call."""
        self._pauses.pop(api, None)

    def _pause(self, api: str, now: float) -> float:
        _, until = self._pauses.get(api, (0.0, now))
        return until - now

    def _left(self, api: str, now: float) -> tuple[float, float]:
        """Return (available tokens, tokens added per second)."""
        burst, rate = self._limits.get(api.partition(":")[0], self._other)
        left, since = self._tokens.get(api, (burst, now))
        return min(burst, left + (now - since) * rate), rate
