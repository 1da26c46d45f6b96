import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.spec.source import Position, UnreadableError, position_after, read_yaml


def value_of(word: str) -> Any:
    return read_yaml(f"key: {word}\n", "f.yaml").data["key"]


def refusal(text: str) -> str:
    with pytest.raises(UnreadableError) as caught:
        read_yaml(text, "f.yaml")
    return str(caught.value)


# What `pulumi config --json` (3.272) makes of the same words in a stack file; numbers there are JSON's.
AS_PULUMI = {
    "on": "on", "off": "off", "yes": "yes", "No": "No", "y": "y", "1:30": "1:30", "10:20:30": "10:20:30",
    "2-00:00:00": "2-00:00:00", "0o17": 15, "017": 15, "-017": -15, "0777": 511, "08": 8, "0b11": 3, "0x1F": 31,
    "1_000": 1000, "+5": 5, "-7": -7, "0": 0, "null": None, "~": None, "": None, "Null": None, "nULL": "nULL",
    "true": True, "True": True, "FALSE": False, "tRue": "tRue", "1e3": 1000, "1.50": 1.5, ".5": 0.5, "1.": 1,
    "'10'": "10", '"on"': "on", "!!str 12": "12", "!!int '12'": 12, "1.2TiB": "1.2TiB", "10.0.0.0/16": "10.0.0.0/16",
    "1.2.3": "1.2.3", "a#b": "a#b", "b # c": "b", "1e999": "1e999",
}  # fmt: skip


@pytest.mark.parametrize(("word", "value"), AS_PULUMI.items(), ids=[repr(word) for word in AS_PULUMI])
def test_a_plain_word_means_what_it_means_to_pulumi(word: str, value: Any) -> None:
    found = value_of(word)
    assert found == value
    assert isinstance(found, bool) == isinstance(value, bool)
    assert isinstance(found, str) == isinstance(value, str)


@pytest.mark.engine
@pytest.mark.skipif(shutil.which("pulumi") is None, reason="needs Pulumi's command on PATH")
def test_pulumi_reads_these_words_so(tmp_path: Path) -> None:
    words = list(AS_PULUMI)
    (tmp_path / "Pulumi.yaml").write_text("name: words\nruntime: python\n")
    (tmp_path / "Pulumi.dev.yaml").write_text(
        "config:\n  words:all:\n" + "".join(f"    w{index}: {word}\n" for index, word in enumerate(words))
    )
    (tmp_path / "state").mkdir()
    own = {
        "PULUMI_BACKEND_URL": f"file://{tmp_path}/state",
        "PULUMI_CONFIG_PASSPHRASE": "",
        "PULUMI_HOME": str(tmp_path),
    }
    for arguments in ("stack init dev", "config --json --stack dev"):
        done = subprocess.run(
            ["pulumi", *arguments.split(), "--non-interactive"],
            cwd=tmp_path, env=os.environ | own, capture_output=True, text=True, check=True,
        )  # fmt: skip
    found = json.loads(done.stdout)["words:all"]["objectValue"]
    assert {word: found[f"w{index}"] for index, word in enumerate(words)} == AS_PULUMI


def test_a_date_is_refused_because_pulumi_rewrites_it() -> None:
    assert refusal("a:\n  b: 2026-01-31\n") == (
        "f.yaml:2:6: Pulumi reads 2026-01-31 as a timestamp; put it in quotes"
    )
    assert value_of("'2026-01-31'") == "2026-01-31"


@pytest.mark.parametrize("word", [".inf", "-.Inf", "+.INF", ".nan", ".NaN"])
def test_a_number_that_json_has_not_is_refused(word: str) -> None:
    """Source: gopkg.in/yaml.v3, resolve.go, resolveMap; Pulumi stores what it reads as JSON."""
    assert refusal(f"a: {word}\n") == (
        f"f.yaml:1:4: Pulumi reads {word} as a number that it can't store; put it in quotes"
    )
    assert value_of(f"'{word}'") == word


def test_a_number_too_large_for_64_bits_is_a_word() -> None:
    assert value_of("9" * 5000) == "9" * 5000


FLOW = """\
# a comment
config:
  hpc:cluster:
    network: {cidr: 10.0.0.0/16, ssh_from: [1.2.3.0/24, 5.6.7.0/24]}
    "queues":
      - name: a
        max: 4
      - {name: é, machine: m}
      -
        name: c
"""


@pytest.mark.parametrize(
    ("path", "key", "value"),
    [
        (("config",), (2, 1), (3, 3)),
        (("config", "hpc:cluster"), (3, 3), (4, 5)),
        (("config", "hpc:cluster", "network"), (4, 5), (4, 14)),
        (("config", "hpc:cluster", "network", "ssh_from"), (4, 34), (4, 44)),
        (("config", "hpc:cluster", "network", "ssh_from", 1), (4, 57), (4, 57)),
        (("config", "hpc:cluster", "queues"), (5, 5), (6, 7)),
        (("config", "hpc:cluster", "queues", 0), (6, 9), (6, 9)),
        (("config", "hpc:cluster", "queues", 0, "max"), (7, 9), (7, 14)),
        (("config", "hpc:cluster", "queues", 1, "machine"), (8, 19), (8, 28)),
        (("config", "hpc:cluster", "queues", 2), (10, 9), (10, 9)),
    ],
)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_keys_and_values_have_their_positions(
    path: tuple[str | int, ...], key: tuple[int, int], value: tuple[int, int], ends: str
) -> None:
    document = read_yaml(FLOW.replace("\n", ends), "f.yaml")
    assert document.position(path, key=True) == Position(*key)
    assert document.position(path) == Position(*value)


def test_a_missing_path_stands_where_its_nearest_parent_stands() -> None:
    document = read_yaml(FLOW, "f.yaml")
    cluster = document.below("config", "hpc:cluster")
    assert cluster.position(("queues", 1, "purchase")) == Position(8, 9)
    assert cluster.position(("storage", "scratch", "size")) == Position(4, 5)
    assert document.position(("nothing",), key=True) == Position(2, 1)
    with pytest.raises(KeyError):
        document.below("config", "other")


def test_a_byte_order_mark_moves_no_column() -> None:
    assert read_yaml("\ufeffa: 1\n", "f.yaml").position(("a",)) == Position(1, 4)


def test_an_alias_stands_where_it_is_used_and_its_parts_where_they_are_written() -> None:
    document = read_yaml("disk: &disk\n  size: 1GiB\nroot: *disk\n", "f.yaml")
    assert document.data == {"disk": {"size": "1GiB"}, "root": {"size": "1GiB"}}
    assert document.position(("root",), key=True) == Position(3, 1)
    assert document.position(("root", "size")) == Position(2, 9)


def test_merge_keys_merge_and_the_mappings_own_keys_win() -> None:
    text = """\
one: &one {a: 1, b: 1}
two: &two {<<: *one, b: 2, c: 2}
three: {b: 3, <<: *two}
four: {<<: [*two, *one, {a: 9, d: 4}]}
word: {"<<": 1}
"""
    document = read_yaml(text, "f.yaml")
    assert document.data["two"] == {"a": 1, "b": 2, "c": 2}
    assert document.data["three"] == {"a": 1, "b": 3, "c": 2}
    assert document.data["four"] == {"a": 1, "b": 2, "c": 2, "d": 4}
    assert document.data["word"] == {"<<": 1}
    assert document.position(("three", "c")) == Position(2, 31)


def test_of_two_merged_mappings_the_first_wins_at_any_depth() -> None:
    text = "a: &a {k: deep}\nb: &b {<<: *a}\nc: &c {k: late}\nd: {<<: [*b, *c]}\n"
    assert read_yaml(text, "f.yaml").data["d"] == {"k": "deep"}


REFUSED = {
    "tab": ("a:\n\tb: 1\n", "2:1", "indent with spaces, not tabs"),
    "two documents": ("a: 1\n---\nb: 2\n", "2:1", "remove the ---"),
    "nothing": ("", "1:1", "the file is empty"),
    "comment only": ("# x\n", "1:1", "the file is empty"),
    "NUL": ("a: \x00\n", "1:4", "U+0000"),
    "control character after others": ("a: 1\nb: é\x07\n", "2:5", "U+0007"),
    "unknown alias": ("a: 1\nb: *x\n", "2:4", "found undefined alias"),
    "key twice": ("a: 1\nb: {c: 1, d: 2, c: 3}\n", "2:17", "the key 'c' appears twice"),
    "<< twice": ("a: &a {}\nb: {<<: *a, <<: *a}\n", "2:13", "the key '<<' appears twice"),
    "list as key": ("? [a]\n: 1\n", "1:3", "a key must be a string;"),
    "quote left open": ('a: 1\nb: "x\n', "2:4", "found unexpected end of stream"),
    "brace left open": ("a: 1\nb: {c: 1\n\n", "2:4", "while parsing a flow mapping"),
    "indentation": ("a:\n    b: 1\n  c: 2\n", "3:3", "did not find expected key"),
    "two colons": ("a: b: c\n", "1:5", "mapping values are not allowed"),
    "own tag": ("a: !secret x\n", "1:4", "the tag !secret"),
    "own tag of a list": ("a: !secret [x]\n", "1:4", "the tag !secret"),
    "object": ("a: !!python/object:os.system x\n", "1:4", "python/object"),
    "tag that lies": ("a: !!int x\n", "1:4", "doesn't match the value 'x'"),
    "merged word": ("a: {<<: 1}\n", "1:9", "<< can merge only mappings; refer to a mapping, e.g."),
    "list within itself": ("a: &x [*x]\n", "1:4", "aliases expand to too many values or levels here;"),
    "lists, deep": ("a: " + "[" * 60, "1:53", "nested more than 50 levels"),
    "lists, too deep for C": ("[" * 200_000, "1:51", "nested more than 50 levels"),
    "mappings, deep": ("".join(" " * depth + "a:\n" for depth in range(2000)), "51:51", "nested more than 50"),
    "aliases of aliases": (
        "a0: &a0 [1]\n" + "".join(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)),
        "", "aliases expand to too many values or levels here;",
    ),
    "chain of merges": (
        "a0: &a0 {k: 1}\n" + "".join(f"a{n}: &a{n} {{<<: *a{n - 1}}}\n" for n in range(1, 2000)),
        "", "are merged here",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "place", "words"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_read_is_told_with_its_place(text: str, place: str, words: str) -> None:
    message = refusal(text)
    assert message.startswith(f"f.yaml:{place}")
    assert message.split(": ")[0].count(":") == 2, "file:line:column"
    assert words in message
    assert "\n" not in message


@pytest.mark.parametrize("line", ["- 1\n", "- {k: v}\n", "- *a\n"])
def test_what_is_large_without_growing_is_not_told_as_aliases(line: str) -> None:
    message = refusal("- &a 1\n" + line * 100_000)
    assert "more than 100,000 keys and values" in message
    assert "alias" not in message


def test_what_grows_by_aliases_is_told_as_such() -> None:
    rows = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 7))
    assert "aliases expand to too many values or levels here;" in refusal(f"a0: &a0 x\n{rows}")


def test_what_is_written_is_kept_where_it_is_no_text() -> None:
    written = read_yaml("a: {b: 00123, c: [True, ~, '010', x], d: &d 1e5, e: *d}\n", "f.yaml").below("a").written
    assert written == {("b",): "00123", ("c", 0): "True", ("c", 1): "~", ("d",): "1e5", ("e",): "1e5"}


def test_a_mapping_merged_into_itself_ends() -> None:
    assert read_yaml("a: &x {<<: *x, b: 1}\n", "f.yaml").data == {"a": {"b": 1}}


def test_many_merges_of_the_same_mappings_end() -> None:
    doubled = "".join(f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}]}}\n" for n in range(1, 45))
    assert read_yaml(f"a0: &a0 {{k: 1}}\n{doubled}", "f.yaml").data["a44"] == {"k": 1}


@given(st.text(alphabet="ab:-[]{}&*<>|!'\"#,? \n\t%@`~0.x\\é\x85\x00", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        document = read_yaml(text, "f.yaml")
    except UnreadableError as error:
        place = str(error)
    else:
        assert set(document.values) == set(document.keys)
        return
    assert re.match(r"f\.yaml:\d+:\d+: ", place)


plain = st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.text("abAB01 :'-_é", max_size=8)
tree = st.recursive(
    plain,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("ab:0 <é", max_size=4), inner, max_size=4),
)


@given(tree, st.sampled_from([True, False, None]))
def test_what_is_dumped_is_read_back(data: Any, flow: bool | None) -> None:
    text = yaml.safe_dump(data, default_flow_style=flow, allow_unicode=True)
    if data is not None:
        assert read_yaml(text, "f.yaml").data == data


@given(st.text("a\né", max_size=20))
def test_position_after_counts_lines_and_columns(text: str) -> None:
    lines = text.split("\n")
    assert position_after(text) == Position(len(lines), len(lines[-1]) + 1)
