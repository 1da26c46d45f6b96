"""Generates the section on alerts of docs/watch.md from the rules; the rest of the page is written by hand."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from hpc_components.watch.files import packaged_rules

_BEGIN, _END = "<!-- alerts -->\n", "<!-- end of alerts -->\n"


def watch_page(path: Path) -> str:
    """Return the page with a section for each alert: what it means, when it fires, and what to type."""
    before, mark, rest = path.read_text(encoding="utf-8").partition(_BEGIN)
    _, end, after = rest.partition(_END)
    groups = yaml.safe_load(packaged_rules("alerts.yml"))["groups"]
    sections = [line for group in groups for rule in group["rules"] for line in _section(rule)]
    return before + mark + "\n" + "\n".join(sections) + end + after


def _section(rule: Mapping[str, Any]) -> Iterator[str]:
    annotations, after = rule["annotations"], rule.get("for")
    yield f"#### {rule['alert']}\n"
    when = f"{rule['labels']['severity']}, {f'after {after}' if after else 'at once'}"
    yield f"{_plain(annotations['summary'])}. {_plain(annotations['description'])} ({when})\n"
    yield f"```promql\n{rule['expr'].strip()}\n```\n"
    yield f"```sh\n{_plain(annotations['runbook'])}\n```\n"


def _plain(text: str) -> str:
    """Return a text with names in place of templates: `{{ $labels.queue }}` becomes QUEUE."""
    words: list[str] = []
    for part in text.strip().replace("{{", "\0{{").replace("}}", "}}\0").split("\0"):
        if not part.startswith("{{"):
            words.append(part)
        elif "$labels." in part:
            words.append(part.split("$labels.")[1].split()[0].upper())
        else:
            words.append("N")
    return "".join(words)
