"""The protocol of the local driver, where the other end is not as it should be."""

import json
import socket
import threading
from contextlib import contextmanager

import pytest

from hpc_components.elastic.drivers.contract import RefusedError
from hpc_components.elastic.drivers.local.driver import LocalDriver, answer

from .conftest import launch


@contextmanager
def other_end(path: str, reply: bytes):
    """Answers one request with `reply` and closes; gives what it was asked."""
    asked: list[bytes] = []
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                asked.append(connection.makefile("rb").readline())
                connection.sendall(reply)

        thread = threading.Thread(target=serve)
        thread.start()
        yield asked
        thread.join()


@pytest.mark.parametrize("reply", [b"", b'{"instances": ['])
def test_an_answer_that_ends_in_its_middle_is_none(reply, tmp_path):
    path = str(tmp_path / "s")
    with other_end(path, reply), pytest.raises(OSError, match="the response to 'list' is incomplete"):
        LocalDriver(path).list()


def test_an_unreachable_cloud_is_an_error(tmp_path):
    with pytest.raises(OSError, match="No such file"):
        LocalDriver(str(tmp_path / "s")).list()


def test_no_answer_in_time(tmp_path):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        listener.listen()
        with pytest.raises(OSError, match="timed out"):
            LocalDriver(str(tmp_path / "s"), timeout=0.05).list()


def test_what_is_sent_is_what_the_protocol_says(tmp_path):
    path = str(tmp_path / "s")
    with other_end(path, b'{"instances": []}\n') as asked:
        assert not LocalDriver(path).launch(launch(1, 2))
    assert json.loads(asked[0]) == {
        "method": "launch",
        "launch": {
            "token": "t1",
            "pool": {"queue": "cpu", "machine": "c7i.large", "zone": "use2-az1", "purchase": "on_demand"},
            "nodes": ["cpu-1", "cpu-2"],
            "minimum": 1,
            "asked": 1_790_000_000.0,
            "sizes": [],
        },
    }


def test_a_method_that_is_not_there_is_refused(tmp_path, aws):
    path = str(tmp_path / "s")
    reply = answer(aws, b'{"method": "reboot"}')
    with other_end(path, reply), pytest.raises(RefusedError, match="unknown method 'reboot'"):
        LocalDriver(path).list()
