"""What must be remembered over a crash: launches that the cloud's list may not show yet, and pools left alone."""

import json
import os
import shutil
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hpc_components.elastic.clock import Clock
from hpc_components.elastic.decide.table import LISTING_DELAY
from hpc_components.elastic.model import Launch, Pool
from hpc_components.elastic.report.events import BlockedPool, Why

__all__ = ["LONGEST", "Entry", "Journal", "Struck"]

VERSION = 1
"""Of the document."""
LONGEST = 4 * 3600.0
"""Seconds for which a pool is left alone at most, if the cool-down is not longer."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A launch, from before the cloud hears of it until its machines are surely listed."""

    launch: Launch
    """The whole request: sent again, it must be the same."""
    sent: float
    """When it was last sent or answered, seconds of the epoch."""
    machines: Mapping[str, str] | None = None
    """Node -> id of its machine, once it was answered; None until then."""
    refused: bool = False
    """It was answered with an error, or given up; an earlier sending may still be carried out, and listed later."""

    heard: bool = False
    """Every call was answered, if only with a failure of the cloud's own: none is under way any more."""

    @property
    def unanswered(self) -> bool:
        """Whether nobody knows if the cloud has heard of it."""
        return self.machines is None and not self.refused

    @property
    def nodes(self) -> Collection[str]:
        """For which it has or may have machines."""
        return self.launch.nodes if self.machines is None else self.machines.keys()


@dataclass(frozen=True, kw_only=True)
class Struck:
    """A pool whose machines did not come up, and none since."""

    pool: Pool
    """Which one."""
    times: int
    """How often in a row it was left alone for that."""
    since: float
    """When the first machine that failed was launched, seconds of the epoch."""


class Journal:
    """A small JSON file that is replaced as a whole: after a crash it is as it was before a change or after it.

    Its times are those of `clock`, which goes on after a restart of the daemon; the wall clock bridges boots only.
    Of a file that can't be understood a copy is kept as `<name>.broken`, if the disk takes it. To remember something
    raises OSError if the disk is full or gone.
    """

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._entries: dict[str, Entry] = {}
        self._blocked: dict[Pool, BlockedPool] = {}
        self._struck: dict[Pool, Struck] = {}
        self._held_until = 0.0
        self.broken = False
        """Whether what was remembered is lost: launches of the last minutes may be unknown."""
        text = self._read()
        self.found = text is not None
        """Whether an earlier daemon has left one: there may be machines that only the list tells of."""
        if text is not None:
            try:
                self._load(json.loads(text))
            except (ValueError, KeyError, TypeError, AttributeError):
                self.broken = True
                with suppress(OSError):  # a disk that is full or broken
                    shutil.copyfile(self._path, self._path.with_name(self._path.name + ".broken"))

    @property
    def entries(self) -> Collection[Entry]:
        """Launches that the list may not show yet, oldest first."""
        return self._entries.values()

    @property
    def blocked(self) -> Mapping[Pool, BlockedPool]:
        """Pools that are left alone."""
        return self._blocked

    @property
    def struck(self) -> Mapping[Pool, Struck]:
        """Pools whose machines do not come up."""
        return self._struck

    @property
    def held_until(self) -> float:
        """Before this, seconds of the epoch, nothing is launched, for what was known before may be lost."""
        return self._held_until

    def hold(self, until: float) -> None:
        """Remember that."""
        self._held_until = until
        self._save()

    def put(self, entry: Entry) -> None:
        """Remember a launch, or what has become of it. On return it is on disk; a new one that isn't is forgotten."""
        token = entry.launch.token
        known = token in self._entries
        self._entries[token] = entry
        try:
            self._save()
        except OSError:
            if not known:
                del self._entries[token]
            raise

    def drop(self, token: str) -> None:
        """Forget a launch that made no machine and never will."""
        self._entries.pop(token, None)
        self._save()

    def block(self, blocked: BlockedPool) -> None:
        """Remember that a pool is left alone."""
        self._blocked[blocked.pool] = blocked
        self._save()

    def strike(self, struck: Struck) -> None:
        """Remember that a pool's machines do not come up."""
        self._struck[struck.pool] = struck
        self._save()

    def absolve(self, pool: Pool) -> None:
        """Forget that: a machine of it has come up."""
        if self._struck.pop(pool, None):
            self._save()

    def tidy(
        self, now: float, wanted: Collection[str], awaited: Collection[str] = (), longest: float = LONGEST
    ) -> None:
        """Forget launches that the list surely shows by now, and pools whose time is over.

        What was written while the clock was ahead is cut to what it can be now; no pool is left alone for more than
        `longest` seconds. A launch without an answer stays for as long as one of its nodes is in `wanted`: it will be
        sent again. An answered one stays while one of its machines is in `awaited` (ids).
        """
        changed = self._cut(now, longest)
        old = [
            token
            for token, entry in self._entries.items()
            if entry.sent + (2 if entry.refused else 1) * LISTING_DELAY <= now
            and not (entry.unanswered and any(node in wanted for node in entry.nodes))
            and not any(id in awaited for id in (entry.machines or {}).values())
        ]
        open_again = [pool for pool, blocked in self._blocked.items() if blocked.until <= now]
        for token in old:
            del self._entries[token]
        for pool in open_again:
            del self._blocked[pool]
        if changed or old or open_again:
            self._save()

    def shift(self, step: float) -> None:
        """The clock was set: move all times. On disk they stay as they are, beside the clock that they are of."""
        self._held_until += step if self._held_until else 0.0
        for token, entry in self._entries.items():
            launch = replace(entry.launch, asked=entry.launch.asked + step)
            self._entries[token] = replace(entry, launch=launch, sent=entry.sent + step)
        for pool, blocked in self._blocked.items():
            self._blocked[pool] = replace(blocked, until=blocked.until + step)

    def _cut(self, now: float, longest: float) -> bool:
        """Whether anything was later than it can be."""
        late = [entry for entry in self._entries.values() if max(entry.sent, entry.launch.asked) > now]
        far = [blocked for blocked in self._blocked.values() if blocked.until > now + longest]
        young = [struck for struck in self._struck.values() if struck.since > now]
        for entry in late:
            launch = replace(entry.launch, asked=min(entry.launch.asked, now))
            self._entries[launch.token] = replace(entry, launch=launch, sent=min(entry.sent, now))
        for blocked in far:
            self._blocked[blocked.pool] = replace(blocked, until=now + longest)
        for struck in young:
            self._struck[struck.pool] = replace(struck, since=now)
        return bool(late or far or young)

    def _load(self, document: Mapping[str, Any]) -> None:
        if document["version"] != VERSION:
            raise ValueError(document["version"])
        if kept := document.get("clock"):
            self._clock.resume(kept["boot"], float(kept["epoch"]))
        self._held_until = float(document.get("held_until", 0.0))
        for raw in document["launches"]:
            launch = raw.pop("launch")
            pool = Pool(**launch.pop("pool"))
            nodes = tuple(launch.pop("nodes"))
            self._entries[launch["token"]] = Entry(launch=Launch(pool=pool, nodes=nodes, **launch), **raw)
        for raw in document["blocked"]:
            pool = Pool(**raw.pop("pool"))
            why = Why(raw.pop("why", Why.CAPACITY))
            self._blocked[pool] = BlockedPool(pool=pool, why=why, **raw)
        for raw in document.get("struck", ()):
            pool = Pool(**raw.pop("pool"))
            self._struck[pool] = Struck(pool=pool, **raw)

    def _save(self) -> None:
        document = {
            "version": VERSION,
            "clock": {"boot": self._clock.boot, "epoch": self._clock.epoch},
            "held_until": self._held_until,
            "launches": list(self._entries.values()),
            "blocked": list(self._blocked.values()),
            "struck": list(self._struck.values()),
        }
        self._write(json.dumps(document, default=vars))

    def _read(self) -> str | None:
        try:
            return self._path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError):
            return ""

    def _write(self, text: str) -> None:
        """Beside the old one first: what is half written when the machine stops is never read."""
        beside = self._path.with_name(self._path.name + ".new")
        with beside.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(self._path)
        folder = os.open(self._path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
