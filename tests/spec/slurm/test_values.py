"""Values of settings as Slurm writes and reads them."""

import pytest

from hpc_components.spec.slurm.values import number, text, unquoted, wrong_value


@pytest.mark.parametrize(
    ("type", "value", "right"),
    [
        ("flag", True, True), ("flag", "YES", True), ("flag", 0, True), ("flag", "on", False), ("flag", 2, False),
        ("uint16", 65533, True), ("uint16", 65534, False), ("uint16", 65535, False), ("uint16", 65536, False),
        ("uint16", -1, False), ("uint16", "1k", False),
        ("uint16", "INFINITE", True), ("uint16", "30s", False), ("uint16", True, False), ("uint16", "0x10", True),
        ("uint16", "08", False), ("uint16", "07", True),
        ("uint32", "4k", True), ("uint32", 2**32 - 3, True), ("uint32", 2**32 - 2, False), ("uint64", 2**32, True),
        ("uint64", "unlimited", True), ("text", "anything", True), ("line", "x", True),
    ],
)  # fmt: skip
def test_a_wrong_value_has_a_reason(type, value, right):
    assert (wrong_value(type, value) is None) is right


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ("30", 30), (30, 30), ("0x1F", 31), ("010", 8), ("2k", 2048), ("0", 0), ('"30"', 30), ("30s", None),
        ("-1", None), ("INFINITE", None), ("09", None), ("", None), (True, None),
    ],
)  # fmt: skip
def test_a_number_is_read_with_its_suffix(value, read):
    assert number(value) == read


@pytest.mark.parametrize("value", ['"30"', '"0x10"', '"unlimited"'])
def test_quotes_are_no_part_of_a_value(value):
    assert wrong_value("uint16", value) is None
    assert wrong_value("uint16", '"70000"') is not None
    assert wrong_value("flag", '"YES"') is None


def test_a_value_is_written_as_it_is_and_read_without_quotes():
    assert [text(value) for value in (True, False, 5, '"a b"')] == ["YES", "NO", "5", '"a b"']
    assert [unquoted(value) for value in (True, 5, '"a b"', '"', '""', 'a"b')] == ["YES", "5", "a b", '"', "", 'a"b']
