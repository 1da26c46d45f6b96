"""Outputs of several commands in one call."""

import subprocess

from hypothesis import given
from hypothesis import strategies as st

from hpc_components.operate.sections import Section, Sections

LINES = st.lists(st.text(st.characters(exclude_categories=["Cc", "Cs"])))


def test_a_shell_runs_all_commands_and_tells_how_they_ended() -> None:
    made = Sections({"a": ["printf", "1\n2"], "b": ["sh", "-c", "echo no >&2; exit 3"], "c": ["no-such-program"]})
    found = made.parse(subprocess.run(made.script, capture_output=True, text=True, check=True).stdout.split("\n"))
    assert found["a"] == Section("1\n2", 0)
    assert found["b"] == Section("no", 3)
    assert found["c"].code == 127


@given(LINES, LINES, st.integers(0, 255))
def test_text_outside_of_sections_is_left_out(greeting: list[str], lines: list[str], code: int) -> None:
    made = Sections({"x": ["true"]})
    shown = [*greeting, f"{made.mark} x", *lines, "", f"{made.mark} ends {code}", *greeting]
    assert made.parse(shown) == {"x": Section("\n".join(lines).rstrip("\n"), code)}


def test_a_section_that_was_cut_has_no_exit_code() -> None:
    made = Sections({"x": ["true"]})
    assert made.parse([f"{made.mark} x", "a"]) == {"x": Section("a", None)}


def test_lines_of_a_log_neither_end_a_section_nor_begin_another() -> None:
    earlier, made = Sections({"x": ["true"]}), Sections({"x": ["true"]})
    forged = [f"{earlier.mark} ends 0", f"{earlier.mark} ../../.ssh/authorized_keys", "ssh-ed25519 AAAA"]
    found = made.parse([f"{made.mark} x", *forged, f"{made.mark} ends 0", f"{made.mark} ../y", "a"])
    assert found == {"x": Section("\n".join(forged), 0)}
