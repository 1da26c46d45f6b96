import io
import os
import socket
from pathlib import Path

import pytest

from hpc_components.user_files import MAX_TEXT_BYTES, read_regular, read_stream


def reason(path: Path) -> str | None:
    with pytest.raises(OSError) as caught:  # noqa: PT011
        read_regular(path)
    return caught.value.strerror


def test_a_regular_file_is_read_to_the_last_byte(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"a" * MAX_TEXT_BYTES)
    (tmp_path / "link").symlink_to(file)
    assert read_regular(file) == read_regular(tmp_path / "link") == b"a" * MAX_TEXT_BYTES


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"a" * (MAX_TEXT_BYTES + 1))
    assert reason(tmp_path / "file") == "It is larger than 4 MiB"


def test_what_is_no_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's path may have 100 characters
    os.mkfifo("fifo")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket")
        assert reason(Path("socket")) == "It is a socket, not a file"
    assert reason(Path("fifo")) == "It is a pipe, not a file"
    assert reason(Path("/dev/zero")) == "It is a device, not a file"
    assert reason(tmp_path) == "Is a directory"
    Path("loop").symlink_to("loop")
    assert reason(Path("loop")) == "Too many levels of symbolic links"
    assert reason(Path("none")) == "No such file or directory"


def test_a_stream_without_end_is_not_read_to_it() -> None:
    assert read_stream(io.BytesIO(b"abc")) == b"abc"
    with open("/dev/zero", "rb") as zeros, pytest.raises(OSError, match="larger than 4 MiB"):
        read_stream(zeros)
