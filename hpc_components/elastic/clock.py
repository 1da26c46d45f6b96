"""Time that passes evenly, whatever is done to the head node's clock."""

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

__all__ = ["Clock"]

TOLERANCE = 1.0
"""Seconds by which the wall clock may differ before it counts as set. What NTP does slowly is no difference:
it makes both clocks go faster or slower."""
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class Clock:
    """Seconds of the epoch that pass as the machine's own time does, which nobody can set.

    Within one boot, ages are differences of CLOCK_BOOTTIME (it goes on while the machine sleeps). The wall clock says
    only which moment of the epoch that is: when the daemon starts after a boot, and when `set_right` is asked.
    """

    def __init__(
        self,
        wall: Callable[[], float] = time.time,
        running: Callable[[], float] = lambda: time.clock_gettime(time.CLOCK_BOOTTIME),
        boot: str | None = None,
    ) -> None:
        self._wall, self._running = wall, running
        self.boot = _boot_id() if boot is None else boot
        """Of this boot; empty if the system does not say."""
        self.epoch = wall() - running()
        """When this boot began, seconds of the epoch by this clock. It changes only in `resume` and `set_right`."""

    def __call__(self) -> float:
        """Now."""
        return self._running() + self.epoch

    def resume(self, boot: str, epoch: float) -> None:
        """Go on where another process left off, if that was since the last boot."""
        if boot and boot == self.boot:
            self.epoch = epoch

    def set_right(self) -> float:
        """Follow the wall clock if it was set. Returns by how many seconds, for all earlier times to be moved."""
        step = self._wall() - self()
        if abs(step) < TOLERANCE:
            return 0.0
        self.epoch += step
        return step


def _boot_id() -> str:
    with suppress(OSError):
        return _BOOT_ID.read_text(encoding="ascii").strip()
    return ""
