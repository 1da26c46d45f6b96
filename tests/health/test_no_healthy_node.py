"""No healthy node is ever drained: a thousand random lives of healthy machines, with all that makes them look odd."""

import json
import random
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from hpc_components.catalog.health_checks import fatal_xids
from hpc_components.health.node import fabric, gpus, storage, system
from hpc_components.health.node.commands import NoAnswerError, Output
from hpc_components.health.node.fabric import Port
from hpc_components.health.node.history import History, read_history, write_history
from hpc_components.health.node.looks import LOOKS, Look, failures, run_checks
from hpc_components.health.node.machine import Machine
from hpc_components.health.node.storage import Mount
from tests.health.emulated import SCRATCH, SHARED, wanted

LIVES = 1000
"""Seeds; a failing one is run again by `-k 'life and [<seed>]'`."""
CHUNK = 50
INFORMATIONAL = [code for code in range(1, 155) if code not in fatal_xids()]
MOMENTS = ("prolog", "epilog", "idle")


class Life:
    """A healthy machine, as the readers of facts see it at each look."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.tools = {name: self.dice.random() < 0.8 for name in ("nvidia-smi", "dcgmi", "nvme", "chronyc")}
        """Tools that the image has."""
        self.reports_ecc = self.dice.random() < 0.8
        self.edac = self.dice.random() < 0.3
        self.counters = self.dice.random() < 0.8
        self.downs = [self.dice.choice((0, 1, 200, 254, 255)) for _ in range(8)]
        self.log = ["6,1,0,-;Linux version"]
        self.slow: dict[str, int] = {}
        """Looks in a row at which a tool or server did not answer."""
        self.now = self.dice.random() * 1e9
        self.flapped = [0.0] * 8
        """When each link went down last: at most once in an hour."""

    def pass_time(self) -> None:
        self.now += self.dice.choice((60, 300, 300, 3600, 86400)) * self.dice.uniform(0.9, 1.5)
        if self.dice.random() < 0.3:
            code, words = self.dice.choice(INFORMATIONAL), self.dice.choice(("79, 48,", "Xid 79", "fallen off"))
            self.log.append(f"3,2,0,-;NVRM: Xid (PCI:0000:{self.dice.randrange(256):02x}:00): {code}, {words}")
        if self.dice.random() < 0.1:
            port = self.dice.randrange(8)
            if self.now - self.flapped[port] > 3700:
                self.flapped[port] = self.now
                self.downs[port] = self.dice.choice(((self.downs[port] + 1) % 256, 0))  # a flap, a wrap, or a reset

    def is_slow(self, name: str, moment: str) -> bool:
        """Return whether something does not answer. A healthy machine never keeps an idle node waiting for long."""
        if name not in self.answers:
            patient = (moment == "boot" and name != "servers") or self.slow.get(name, 0) == LOOKS - 1
            self.answers[name] = not patient and self.dice.random() < 0.3
            if moment == "idle":
                self.slow[name] = self.slow.get(name, 0) + 1 if self.answers[name] else 0
        return self.answers[name]

    def run(self, words: Sequence[str], seconds: float) -> Output | None:
        if not self.tools[words[0]]:
            return None
        if self.is_slow(words[0], self.moment):
            raise NoAnswerError(f"{words[0]} did not answer within {seconds:g} s")
        return Output(*self.dice.choice(self._answers(words)))

    def _answers(self, words: Sequence[str]) -> list[tuple[int, str]]:
        ecc = "0\n" if self.reports_ecc else "[N/A]\n"
        pass_, warn = ({"DCGM Diagnostic": {"tests": [{"name": "x", "status": each}]}} for each in ("Pass", "Warn"))
        skip = {"DCGM Diagnostic": {"tests": [{"name": "fail", "status": "Skip", "info": "Fail"}]}}
        return {
            "nvidia-smi": [(0, ecc * 8), (0, "No\n" * 8 if "remap" in words[1] else ecc * 8), (9, "-"), (6, "")],
            "dcgmi": [(0, json.dumps(each)) for each in (pass_, warn, skip)] + [(1, "no host engine"), (0, "")],
            "nvme": [(0, '{"critical_warning": 0}'), (0, '{"critical_warning": 2}'), (1, ""), (0, "{}"),
                     (0, '{"critical_warning": {"value": 1, "read_only": 0}}')],
            "chronyc": [(0, f"x,x,3,1,{self.dice.uniform(-1, 1)},0,0,9,0,0,0,0,64.5,Normal"),
                        (0, "x,x,0,0,1e6,0,0,0,0,0,0,0,0,Not synchronised"), (1, "506 Cannot talk"), (0, "")],
        }[words[0]]  # fmt: skip

    def ports(self, _: Machine) -> tuple[Port, ...]:
        own = [
            Port(
                name=f"mlx5_ib{number}/1",
                link_layer="InfiniBand",
                active=True,
                gbps=self.dice.choice((400.0, None)),
                downs=downs if self.counters else None,
            )
            for number, downs in enumerate(self.downs)
        ]
        other = Port(name="mlx5_an0/1", link_layer="Ethernet", active=self.dice.random() < 0.5, gbps=100.0, downs=9)
        return (other, *own)

    def mounts(self, _: Machine) -> dict[str, Mount] | None:
        found = {path: Mount(type="x", read_only=False) for path in ("/", SCRATCH, *SHARED)}
        extra = {"/mnt/cdrom": Mount(type="iso9660", read_only=True), "/cvmfs": Mount(type="fuse", read_only=True)}
        return self.dice.choice((found, found | extra, None))

    def ask(self, directories: Collection[str], _: float) -> dict[str, int | None]:
        names = {path: next(each for each in SHARED if path.endswith(each)) for path in directories}
        late = self.is_slow("servers", self.moment)
        return {path: None if late else self.dice.choice((0, 0, 0, 13, 122)) for path in names}

    def look(self, moment: str, history: History) -> list[str]:
        self.moment, self.answers = moment, {}
        look = Look(moment=moment, wanted=wanted(), now=self.now, machine=_Files(), history=history)
        return list(failures(run_checks(look)))


class _Files(Machine):
    """Files of a life are replaced one by one below."""


@pytest.fixture
def live(monkeypatch: pytest.MonkeyPatch):
    def begin(life: Life) -> None:
        log = life.log
        monkeypatch.setattr(_Files, "kernel_log", lambda _: "\n".join(log) if life.dice.random() < 0.9 else None)
        monkeypatch.setattr(gpus, "count_gpus", lambda _: 8)
        for module in (gpus, storage, system):
            monkeypatch.setattr(module, "run", life.run)
        monkeypatch.setattr(fabric, "read_ports", life.ports)
        monkeypatch.setattr(storage, "read_mounts", life.mounts)
        monkeypatch.setattr(storage, "shared_directories", lambda _: SHARED)
        monkeypatch.setattr(storage, "ask_file_systems", life.ask)
        monkeypatch.setattr(storage, "free_mib", lambda _: life.dice.choice((1024, 60_000, None)))
        monkeypatch.setattr(system, "memory_mib", lambda _: life.dice.choice((1_914_687, 1_723_300, None)))
        monkeypatch.setattr(system, "uncorrectable_errors", lambda _: 0 if life.edac else None)

    return begin


@pytest.mark.parametrize("chunk", range(LIVES // CHUNK))
def test_a_healthy_life_is_never_cut_short(chunk: int, live, tmp_path: Path) -> None:
    for seed in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        life, history = Life(seed), History()
        live(life)
        found = life.look("boot", history)
        for _ in range(40):
            life.pass_time()
            found += life.look(life.dice.choice(MOMENTS), history)
            if life.dice.random() < 0.2:  # the next look is another process
                write_history(tmp_path / "history", history)
                history = replace(read_history(tmp_path / "history"))
        assert found == [], f"seed {seed}"
