"""`hpc` in processes that are forked from one that has imported it already.

To import it, pydantic and the SDK takes a command far longer than what it is asked for. What only a process of its
own can show (its imports, signals, streams that are closed or full) is tested with one.
"""

import atexit
import gc
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
HPC = Path(sys.executable).parent / "hpc"

FIRST = {
    "init": "init --help",
    "machines": "machines",
    "preview": "preview {stack} --format html",
    "render": "render {stack}",
    "rules": "rules",
    "schema": "schema",
    "validate": "validate {stack}",
}
"""By command: what is run before it is run for the first time, so that all it imports is there."""


class Preloaded:
    """The process that forks, for clusters like that of `stack`; starts when it is needed, ends with this one."""

    def __init__(self, env: Mapping[str, str], stack: str) -> None:
        self._env, self._stack = env, stack
        self._connection: socket.socket | None = None

    def start(self, arguments: Sequence[str], cwd: Path, env: Mapping[str, str], streams: Sequence[int]) -> None:
        """Start `hpc`; `streams` are the descriptors of its standard streams."""
        connection = self._connection = self._connection or self._begin()
        asked = json.dumps({"arguments": arguments, "cwd": str(cwd), "env": dict(env)})
        socket.send_fds(connection, [asked.encode()], streams)

    def wait(self, seconds: float = 300) -> int:
        """The exit code; negative if a signal ended it."""
        assert self._connection
        self._connection.settimeout(seconds)
        try:
            return int(self._connection.recv(16))
        except TimeoutError:
            os.killpg(self._process.pid, signal.SIGKILL)
            raise

    def _begin(self) -> socket.socket:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno()), self._stack],
                cwd=ROOT,
                env=self._env,
                pass_fds=[theirs.fileno()],
                process_group=0,
            )
        atexit.register(self._end)
        return ours

    def _end(self) -> None:
        assert self._connection
        self._connection.close()
        self._process.wait()


def main(connection: socket.socket, stack: str) -> None:
    """Fork a process for each request; return in the process that is to be `hpc`, or exit with whoever asks."""
    first = {command: words.format(stack=stack).split() for command, words in FIRST.items()}
    while True:
        message, streams, *_ = socket.recv_fds(connection, 2**17, 3)
        if not message:
            sys.exit()
        asked = json.loads(message)
        if words := first.pop("".join(asked["arguments"][:1]), None):
            preload(words)
        if os.fork() == 0:
            connection.close()
            become(asked, streams)
            return
        for stream in streams:
            os.close(stream)
        _, status = os.wait()
        connection.send(str(os.waitstatus_to_exitcode(status)).encode())


def preload(words: list[str]) -> None:
    """Import what the command imports."""
    from click.testing import CliRunner

    from hpc_components.cli import main as hpc

    CliRunner().invoke(hpc, words)
    gc.collect()
    gc.freeze()  # pages that nobody writes to stay common


def become(asked: dict, streams: Sequence[int]) -> None:
    """Take on streams, directory, environment and arguments, as a process has them when it starts."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin, sys.stdout = open(0), open(1, "w")  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, errors="backslashreplace")  # noqa: SIM115
    os.environ.clear()
    os.environ.update(asked["env"])
    os.chdir(asked["cwd"])
    sys.path[0] = str(HPC.parent)
    sys.argv = [str(HPC), *asked["arguments"]]


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])), sys.argv[2])
    from hpc_components.start import main as hpc

    hpc()
