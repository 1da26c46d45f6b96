import pytest

from hpc_components.strict_json import MAX_LEVELS, InvalidJsonError, parse_json


@pytest.mark.parametrize(
    "text", ['{"a": [1, 2.5, null, true, "\\u00e9 \\ud83d\\ude00"]}', "[]", '"a"', "1e21", "-12345678901234567890"]
)
def test_plain_json_is_read(text: str) -> None:
    import json

    assert parse_json(text) == json.loads(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "line 1: this is not valid JSON"),
        ('{"a": 1,\n"b" 2}', "line 2: this is not valid JSON"),
        ("[" * 100_000, "more than 100 levels of nesting"),
        ("[" * 100_000 + "]" * 100_000, "more than 100 levels of nesting"),
        ("[" * (MAX_LEVELS + 1) + "]" * (MAX_LEVELS + 1), "more than 100 levels of nesting"),
        ('{"a": {"b": 1, "b": 2}}', "the key 'b' more than once"),
        ("[NaN]", "NaN is not a valid JSON number"),
        ("[-Infinity]", "-Infinity is not a valid JSON number"),
        ("[1e999]", "1e999 is too large"),
        ("9" * 5000, "has 5000 digits"),
        (r'["\ud800"]', "a lone surrogate"),
        (r'{"\udc00": 1}', "a lone surrogate"),
        ('["\0"]', "line 1: this is not valid JSON"),
    ],
)
def test_what_can_not_be_worked_with_is_refused(text: str, reason: str) -> None:
    with pytest.raises(InvalidJsonError) as caught:
        parse_json(text)
    assert reason in str(caught.value)


def test_the_deepest_value_is_read() -> None:
    assert parse_json("[" * MAX_LEVELS + "]" * MAX_LEVELS)


def test_lines_are_counted_from_the_first_of_the_file() -> None:
    with pytest.raises(InvalidJsonError, match="line 8: "):
        parse_json("\n{", first_line=7)
