"""A clock that does not step when the head node's wall clock is set."""

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

__all__ = ["Clock"]

TOLERANCE = 1.0
"""Seconds by which the wall clock may differ before it counts as set. NTP's slow corrections make no difference: they
change the rate of both clocks."""
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class Clock:
    """Seconds of the epoch, counted by the machine's running time, which nobody can set.

    Within one boot, ages are differences of CLOCK_BOOTTIME, which goes on while the machine sleeps. The wall clock is
    read only when the daemon starts after a boot, and in `set_right`.
    """

    def __init__(
        self,
        wall: Callable[[], float] = time.time,
        running: Callable[[], float] = lambda: time.clock_gettime(time.CLOCK_BOOTTIME),
        boot: str | None = None,
    ) -> None:
        self._wall, self._running = wall, running
        self.boot = _boot_id() if boot is None else boot
        """Id of this boot; empty if the system does not say."""
        self.epoch = wall() - running()
        """When this boot began by this clock, seconds of the epoch. Only `resume` and `set_right` change it."""

    def __call__(self) -> float:
        """Now."""
        return self._running() + self.epoch

    def resume(self, boot: str, epoch: float) -> None:
        """Take over the `epoch` of an earlier process, if that ran in this boot."""
        if boot and boot == self.boot:
            self.epoch = epoch

    def set_right(self) -> float:
        """Follow the wall clock if it was set. Returns by how many seconds, for earlier times to be moved."""
        step = self._wall() - self()
        if abs(step) < TOLERANCE:
            return 0.0
        self.epoch += step
        return step


def _boot_id() -> str:
    with suppress(OSError):
        return _BOOT_ID.read_text(encoding="ascii").strip()
    return ""
