import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

TOLERANCE_SECONDS = 1.0
"""If the clocks differ by at least this many seconds, the wall clock was set. NTP's gradual corrections never cause
such a difference, because they change the rate of both clocks."""
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class Clock:
    """Returns seconds since the epoch, derived from the machine's uptime, which can't be set.

    Within one boot, elapsed times come from CLOCK_BOOTTIME, which keeps running while the machine is suspended. The
    wall clock is read only when the daemon first starts after a boot, and in `set_right`.
    """

    def __init__(
        self,
        wall: Callable[[], float] = time.time,
        running: Callable[[], float] = lambda: time.clock_gettime(time.CLOCK_BOOTTIME),
        boot: str | None = None,
    ) -> None:
        self._wall, self._running = wall, running
        self.boot = _boot_id() if boot is None else boot
        """Id of this boot, or an empty string if the system does not report one."""
        self.epoch = wall() - running()
        """Start of this boot according to this clock, in seconds since the epoch. Changed only by `resume` and
        `set_right`.
        """

    def __call__(self) -> float:
        return self._running() + self.epoch

    def resume(self, boot: str, epoch: float) -> None:
        """Adopt the `epoch` of an earlier process if that process ran during this boot."""
        if boot and boot == self.boot:
            self.epoch = epoch

    def set_right(self) -> float:
        """Adjust this clock if the wall clock was set.

        Return the number of seconds by which stored times must be shifted.
        """
        step = self._wall() - self()
        if abs(step) < TOLERANCE_SECONDS:
            return 0.0
        self.epoch += step
        return step


def _boot_id() -> str:
    with suppress(OSError):
        return _BOOT_ID.read_text(encoding="ascii").strip()
    return ""
