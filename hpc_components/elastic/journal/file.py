import json
import shutil
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from hpc_components.elastic.clock import Clock
from hpc_components.elastic.journal.entries import MAX_BLOCK_SECONDS, BlockedPool, Entry, FailingPool
from hpc_components.elastic.journal.whole_file import replace_whole
from hpc_components.elastic.model import Launch, Pool
from hpc_components.elastic.slurm.reasons import Why

VERSION = 1


class Journal:
    """A small JSON file. It is always replaced as a whole, so a crash leaves either the old state or the new one.

    All times come from `clock`, which keeps its time scale when the daemon restarts; the wall clock is needed only
    after a reboot. A malformed file is copied to `<name>.broken`, if possible. Every method that changes the journal
    raises OSError if the disk is full or unavailable.
    """

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._entries: dict[str, Entry] = {}
        self._blocked: dict[Pool, BlockedPool] = {}
        self._failing: dict[Pool, FailingPool] = {}
        self._launches_paused_until = 0.0
        self.broken = False
        """Whether the file was malformed. If so, the latest launches may be unknown."""
        text = self._read()
        self.found = text is not None
        """Whether an earlier daemon left a file. If so, that daemon may have launched machines that are known only
        from the cloud's list."""
        if text is not None:
            try:
                self._load(json.loads(text))
            except (ValueError, KeyError, TypeError, AttributeError):
                self.broken = True
                with suppress(OSError):  # the disk may be full or broken
                    shutil.copyfile(self._path, self._path.with_name(self._path.name + ".broken"))

    @property
    def entries(self) -> Collection[Entry]:
        """Launches that may still be missing from the cloud's list, oldest first."""
        return self._entries.values()

    @property
    def blocked(self) -> Mapping[Pool, BlockedPool]:
        return self._blocked

    @property
    def failing(self) -> Mapping[Pool, FailingPool]:
        return self._failing

    @property
    def launches_paused_until(self) -> float:
        """Time at which launches resume after a journal was lost, in seconds since the epoch."""
        return self._launches_paused_until

    def pause_launches(self, until: float) -> None:
        """Allow no launches before `until`, even after a restart."""
        self._launches_paused_until = until
        self._save()

    def put(self, entry: Entry) -> None:
        """Write a launch, or its outcome, to disk. If a new launch can't be written, forget the launch."""
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
        """Forget a launch that has created no machines and never will."""
        self._entries.pop(token, None)
        self._save()

    def block(self, blocked: BlockedPool) -> None:
        self._blocked[blocked.pool] = blocked
        self._save()

    def put_failing(self, failing: FailingPool) -> None:
        self._failing[failing.pool] = failing
        self._save()

    def clear_failing(self, pool: Pool) -> None:
        if self._failing.pop(pool, None):
            self._save()

    def tidy(
        self,
        now: float,
        wanted: Collection[str],
        *,
        list_lag: float,
        awaited: Collection[str] = (),
        longest: float = MAX_BLOCK_SECONDS,
    ) -> None:
        """Forget expired blocks, and launches that are old enough for their machines to be listed.

        The cloud's list lags by up to `list_lag` seconds. An unanswered launch is kept while any of its nodes is in
        `wanted`, because the launch will be sent again. An answered launch is kept while any of its machine ids is in
        `awaited`.

        Times that were written while the clock was ahead are corrected to `now`, and every block ends within
        `longest` seconds from now.
        """
        changed = self._cut(now, longest)
        old = [
            token
            for token, entry in self._entries.items()
            if entry.sent + (2 if entry.refused else 1) * list_lag <= now
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
        """Shift all times after the clock was set forward by `step` seconds.

        The file is not rewritten: its old times still match the clock saved with them.
        """
        self._launches_paused_until += step if self._launches_paused_until else 0.0
        for token, entry in self._entries.items():
            launch = replace(entry.launch, asked=entry.launch.asked + step)
            self._entries[token] = replace(entry, launch=launch, sent=entry.sent + step)
        for pool, blocked in self._blocked.items():
            self._blocked[pool] = replace(blocked, until=blocked.until + step)

    def _cut(self, now: float, longest: float) -> bool:
        """Correct times that lie too far in the future. Return whether any were changed."""
        late = [entry for entry in self._entries.values() if max(entry.sent, entry.launch.asked) > now]
        far = [blocked for blocked in self._blocked.values() if blocked.until > now + longest]
        young = [failing for failing in self._failing.values() if failing.since > now]
        for entry in late:
            launch = replace(entry.launch, asked=min(entry.launch.asked, now))
            self._entries[launch.token] = replace(entry, launch=launch, sent=min(entry.sent, now))
        for blocked in far:
            self._blocked[blocked.pool] = replace(blocked, until=now + longest)
        for failing in young:
            self._failing[failing.pool] = replace(failing, since=now)
        return bool(late or far or young)

    def _load(self, document: Mapping[str, Any]) -> None:
        if document["version"] != VERSION:
            raise ValueError(document["version"])
        if kept := document.get("clock"):
            self._clock.resume(kept["boot"], float(kept["epoch"]))
        self._launches_paused_until = float(document.get("held_until", 0.0))
        for raw in document["launches"]:
            launch = raw.pop("launch")
            pool = Pool(**launch.pop("pool"))
            nodes, sizes = tuple(launch.pop("nodes")), tuple(launch.pop("sizes", ()))
            self._entries[launch["token"]] = Entry(
                launch=Launch(pool=pool, nodes=nodes, sizes=sizes, **launch), **raw
            )
        for raw in document["blocked"]:
            pool = Pool(**raw.pop("pool"))
            why = Why(raw.pop("why", Why.CAPACITY))
            self._blocked[pool] = BlockedPool(pool=pool, why=why, **raw)
        for raw in document.get("struck", ()):
            pool = Pool(**raw.pop("pool"))
            self._failing[pool] = FailingPool(pool=pool, **raw)

    def _save(self) -> None:
        document = {
            "version": VERSION,
            "clock": {"boot": self._clock.boot, "epoch": self._clock.epoch},
            "held_until": self._launches_paused_until,
            "launches": list(self._entries.values()),
            "blocked": list(self._blocked.values()),
            "struck": list(self._failing.values()),
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
        replace_whole(self._path, text)
