"""The proxy for tunnels that only listen, with small programs in place of a tunnel."""

import signal
import subprocess
import sys
import time
from collections.abc import Sequence

import pytest

ECHO = """
import socket, sys, time
time.sleep(0.5)
near = socket.create_server(("127.0.0.1", int(sys.argv[1]))).accept()[0]
print("on standard output")
while data := near.recv(65536):
    near.sendall(data)
time.sleep({lives})
"""

RESETS = """
import socket, struct, sys
near = socket.create_server(("127.0.0.1", int(sys.argv[1]))).accept()[0]
near.recv(1)
near.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
near.close()
"""


def proxy(*command: str) -> list[str]:
    return [sys.executable, "-m", "hpc_components.operate.port_tunnel", *command]


def run(*command: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(proxy(*command), input=given, capture_output=True, timeout=60, check=False)


def test_all_bytes_come_back_and_messages_stay_apart() -> None:
    given = bytes(range(256)) * 10_000
    done = run(sys.executable, "-uc", ECHO.format(lives=0), "{port}", given=given)
    assert (done.returncode, done.stdout) == (0, given)
    assert done.stderr == b"on standard output\n"


@pytest.mark.parametrize("command", [["false"], ["sh", "-c", "echo no login >&2; exit 1"]])
def test_a_tunnel_that_ends_at_once_is_an_error(command: Sequence[str]) -> None:
    done = run(*command)
    assert done.returncode == 1
    assert done.stderr.endswith(f"{command[0]}: no tunnel\n".encode())


def test_a_reset_connection_ends_without_a_traceback() -> None:
    for _ in range(5):
        done = run(sys.executable, "-c", RESETS, "{port}", given=b"x" * 1_000_000)
        assert b"Traceback" not in done.stderr
        assert b"Exception" not in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_tunnel_too(number: signal.Signals) -> None:
    command = ["env", "--default-signal=INT", *proxy("sh", "-c", "sleep 1234.5 & echo $! >&2; wait", "{port}")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr
        child = process.stderr.readline().strip().decode()
        process.send_signal(number)
        assert process.wait(30) == 128 + number
        until = time.monotonic() + 10
        while subprocess.run(["kill", "-0", child], capture_output=True, check=False).returncode == 0:
            assert time.monotonic() < until
            time.sleep(0.05)
        assert b"Traceback" not in process.stderr.read()
