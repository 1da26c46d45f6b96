"""Runs the bundle of a recipe on this machine, in a container on a root file system that stays as it is."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from hpc_components.boot.packaged import packaged_text
from hpc_components.user_files import read_regular

Verb = Literal["bake", "test"]

_TOOLS = {"systemd-nspawn": "systemd-container", "unshare": "util-linux", "ip": "iproute2", "bash": "bash"}
"""Maps programs to the packages that have them on Debian and Ubuntu."""
_NAMESPACES = ("unshare", "-m", "-p", "--fork", "--kill-child=KILL", "--mount-proc")
_STEP = re.compile(r"hpc-boot: (\w+): (\d+\.\d+) s")
_FAILED = re.compile(r"hpc-image: FAILED: (.*)")


@dataclass(frozen=True, kw_only=True)
class StepRun:
    step: str
    seconds: float


@dataclass(frozen=True, kw_only=True)
class ImageRun:
    """A bundle's `bake` or `test` that has run."""

    verb: Verb
    steps: tuple[StepRun, ...]
    failure: str | None
    """Why it failed, or None if it succeeded."""

    def to_dict(self) -> dict[str, Any]:
        steps = [{"step": each.step, "seconds": each.seconds} for each in self.steps]
        return {"passed": self.failure is None, "failure": self.failure, "steps": steps}


def lacking(root: Path, system: str) -> Iterator[str]:
    """Yield what this machine lacks for containers on `root`, a root file system of the operating system `system`."""
    if not sys.platform.startswith("linux"):
        yield "it needs Linux"
        return
    if os.geteuid() != 0:
        yield "it needs root"
    absent = [tool for tool in _TOOLS if shutil.which(tool) is None]
    if absent:
        packages = ", ".join(dict.fromkeys(_TOOLS[tool] for tool in absent))
        yield f"it needs {', '.join(absent)} (packages {packages})"
    found = _systems(root)
    if not found:
        yield f"{root} has no etc/os-release; specify a root file system of {system}, e.g. one made by debootstrap"
    elif system not in found:
        yield f"{root} is a root file system of {found[0]}, but the nodes have {system}"


def _systems(root: Path) -> tuple[str, ...]:
    """Return the names that the system of a root file system may have in the catalogue; none if it has no name."""
    try:
        text = read_regular(root / "etc" / "os-release").decode()
    except (OSError, UnicodeDecodeError):
        return ()
    facts = {key: value.strip("\"'") for key, _, value in (line.partition("=") for line in text.splitlines())}
    name, version = facts.get("ID", ""), facts.get("VERSION_ID", "")
    return (f"{name}-{version}", f"{name}-{version.partition('.')[0]}")


def run_bundle(
    verb: Verb,
    bundle: str,
    layers: Sequence[Path],
    *,
    result: Path | None = None,
    on_step: Callable[[StepRun], None] = lambda step: None,
) -> ImageRun:
    """Run a bundle on a root file system, whose upper layers come first, and call `on_step` after each step.

    If it succeeds, the changed root file system is copied to `result`, which must not exist. Nothing else is left
    behind, even if this process is killed; only an unfinished copy may then stay, as `<result>.part`.
    """
    script = packaged_text("hpc_components.images", "container.sh")
    where = [str(result.absolute()) if result else "", *(str(layer.absolute()) for layer in layers)]
    alone = ["-n"] if verb == "test" else []
    inside = [verb, str(len(bundle.encode())), *where]
    process = subprocess.Popen(
        [*_NAMESPACES, *alone, "bash", "-c", script, "-", *inside],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,  # Ctrl-C is for this process, which then ends the other
    )
    assert process.stdin
    assert process.stdout
    try:
        with suppress(BrokenPipeError):
            process.stdin.write(bundle)
            process.stdin.flush()
        return _followed(verb, process, on_step)
    finally:
        with suppress(BrokenPipeError):
            process.stdin.close()  # ends it
        process.wait()
        process.stdout.close()
        if result:
            shutil.rmtree(f"{result}.part", ignore_errors=True)


def _followed(verb: Verb, process: "subprocess.Popen[str]", on_step: Callable[[StepRun], None]) -> ImageRun:
    assert process.stdout
    steps: list[StepRun] = []
    failure, last = None, ""
    for line in process.stdout:
        if found := _STEP.match(line):
            steps.append(StepRun(step=found[1], seconds=float(found[2])))
            on_step(steps[-1])
        elif found := _FAILED.match(line):
            failure = found[1]
        last = line.strip() or last
    if process.wait() == 0:
        return ImageRun(verb=verb, steps=tuple(steps), failure=None)
    return ImageRun(verb=verb, steps=tuple(steps), failure=failure or last or "it ended without a word")
