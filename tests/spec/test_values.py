import re
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from hpc_components.spec.values import Duration, Size

UNITS = {"MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "PiB": 2**50, "MB": 10**6, "GB": 10**9, "TB": 10**12, "PB": 10**15}

numbers = st.decimals(min_value=1, max_value=10**6, places=3).map(lambda number: f"{number.normalize():f}")
sizes = st.builds("{}{}".format, numbers, st.sampled_from(list(UNITS)))
counts = st.integers(0, 10**6)
durations = (
    st.fixed_dictionaries({}, optional=dict.fromkeys("dhms", counts))
    .filter(bool)
    .map(lambda parts: "".join(f"{parts[unit]}{unit}" for unit in "dhms" if unit in parts))
)


class Model(BaseModel):
    """Holds both."""

    size: Size = Size.gib(1)
    time: Duration = Duration.parse("1d")


@settings(deadline=None)
@given(sizes)
def test_a_size_is_written_as_it_was_read(text: str) -> None:
    size = Size.parse(text)
    ((number, unit),) = re.findall(r"^([0-9.]+)(\w+)$", text)
    assert str(size) == text
    assert size.bytes == int(Decimal(number) * UNITS[unit])
    assert Size.parse(str(size)) == size
    assert Model(size=size).model_dump(mode="json")["size"] == text
    assert Model.model_validate({"size": text}).size == size


@settings(deadline=None)
@given(durations)
def test_a_duration_is_written_as_it_was_read(text: str) -> None:
    duration = Duration.parse(text)
    expected = sum(
        int(count) * {"d": 86400, "h": 3600, "m": 60, "s": 1}[unit]
        for count, unit in re.findall(r"([0-9]+)([dhms])", text)
    )
    assert (duration.seconds, str(duration)) == (expected, text)
    assert Model.model_validate({"time": text}).model_dump(mode="json")["time"] == text


@settings(deadline=None)
@given(sizes, sizes)
def test_sizes_are_ordered_by_what_they_hold(one: str, other: str) -> None:
    first, second = Size.parse(one), Size.parse(other)
    assert (first < second) == (first.bytes < second.bytes)
    assert (first == second) == (first.bytes == second.bytes)


def test_the_same_amount_written_otherwise_is_equal() -> None:
    assert Size.parse("1TiB") == Size.parse("1024GiB") == Size.gib(1024) == Size(2**40)
    assert hash(Size.parse("1TiB")) == hash(Size.gib(1024))
    assert Duration.parse("1h30m") == Duration.parse("90m") < Duration.parse("5401s")
    assert Duration.parse("36h").days == 1.5


@pytest.mark.parametrize(
    ("text", "gib"),
    [("1.2TiB", 1200), ("2.4TiB", 2400), ("9.6TiB", 9600), ("1200GiB", 1200), ("4800GiB", 4800), ("1TB", 931.322574)],
)
def test_lustre_counts_a_tebibyte_as_a_thousand_gibibytes(text: str, gib: float) -> None:
    assert Size.parse(text).lustre_gib == pytest.approx(gib)


def test_a_space_before_the_unit_is_left_out() -> None:
    assert str(Size.parse("100 GiB")) == "100GiB"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("100gib", "did you mean 100GiB?"),
        ("1.5tib", "did you mean 1.5TiB?"),
        ("100G", "did you mean 100GiB?"),
        ("2T", "did you mean 2TiB?"),
        ("10gb", "did you mean 10GB?"),
        ("100", "units are MiB, GiB, TiB, PiB, MB, GB, TB, PB"),
        ("100XiB", "units are MiB"),
        ("GiB", "'GiB' is not a size like 100GiB"),
        ("", "'' is not a size"),
        ("-1GiB", "is not a size"),
        ("1,2TiB", "is not a size"),
        ("1.TiB", "is not a size"),
        (".5TiB", "is not a size"),
        ("1e3GiB", "is not a size"),
        ("٣GiB", "is not a size"),
        ("9" * 5000 + "GiB", "is not a size"),
        ("1GiB\n", "is not a size"),
        ("0GiB", "is less than one byte"),
        ("0.0TiB", "is less than one byte"),
    ],
)
def test_a_wrong_size_is_an_error(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        Size.parse(text)


@pytest.mark.parametrize(
    "text",
    ["", "10", "10 m", "1w", "m", "-1d", "1.5h", "1m1h", "1d1d", "10min", "1D", "٣d", "9" * 5000 + "d", "1d\n"],
)
def test_a_wrong_duration_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="is not a duration like 2d, 10m or 1h30m"):
        Duration.parse(text)


@pytest.mark.parametrize("value", [100, 1.5, None, True, [], {}])
@pytest.mark.parametrize(("field", "example"), [("size", "100GiB"), ("time", "10m")])
def test_only_text_is_a_size_or_duration(value: object, field: str, example: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Model.model_validate({field: value})
    message = caught.value.errors()[0]["msg"]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    assert message == (f"{value} has no unit; write it like {example}" if is_number else "not text")


@settings(deadline=None)
@given(sizes | durations | st.text("0123456789.dhms GMTiB", max_size=8))
def test_the_schema_accepts_what_the_parser_accepts(text: str) -> None:
    schema = Model.model_json_schema()["properties"]
    for field, parse in (("size", Size.parse), ("time", Duration.parse)):
        matches = re.search(schema[field]["pattern"].replace("$", r"\Z"), text) is not None
        try:
            parse(text)
        except ValueError as error:
            assert not matches or "less than one byte" in str(error)  # noqa: PT017
        else:
            assert matches


def test_the_schema_shows_how_they_are_written() -> None:
    schema = Model.model_json_schema()["properties"]
    assert (schema["size"]["type"], schema["size"]["examples"]) == ("string", ["100GiB"])
    assert (schema["time"]["type"], schema["time"]["examples"]) == ("string", ["10m"])
