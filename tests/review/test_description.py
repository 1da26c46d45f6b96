"""What differs in a description, as its user wrote it."""

from typing import Any

import pytest

from hpc_components.preview.description import described
from hpc_components.review.description import description_changes
from hpc_components.review.document import ABSENT
from hpc_components.spec.source import read_yaml

BEFORE = """\
name: cfd
network:
  ssh_from: [203.0.113.0/24]
head_node: {machine: c6i.xlarge}
storage:
  home: {type: nfs, size: 1TiB}
queues:
  - {name: cpu, machine: c7i.48xlarge, max: 16}
  - {name: gpu, machine: p5.48xlarge, max: 4}
"""


def differing(before: str, after: str) -> list[tuple[str, Any, Any, int | None]]:
    found = description_changes(*(described(read_yaml(text, "x.yaml")) for text in (before, after)))
    return [(each.path, each.before, each.after, each.line) for each in found]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", []),
        ("max: 4", "max: 8", [("queues[1].max", 4, 8, 9)]),
        ("machine: c6i.xlarge", "machine: c6i.large", [("head_node.machine", "c6i.xlarge", "c6i.large", 4)]),
        (
            "[203.0.113.0/24]",
            "[203.0.113.0/24, 198.51.100.0/24]",
            [("network.ssh_from", ["203.0.113.0/24"], ["203.0.113.0/24", "198.51.100.0/24"], 3)],
        ),
        (
            "storage:\n  home: {type: nfs, size: 1TiB}\n",
            "",
            [("storage", {"home": {"type": "nfs", "size": "1TiB"}}, ABSENT, 5)],
        ),
        ("name: cfd", "name: cfd\nos: rocky-9", [("os", ABSENT, "rocky-9", 2)]),
        ("max: 4", "max: true", [("queues[1].max", 4, True, 9)]),
        (
            "queues:\n",
            "queues:\n  - {name: new, machine: m7i.large, max: 2}\n",
            [("queues[0]", ABSENT, {"name": "new", "machine": "m7i.large", "max": 2}, 8)],
        ),
        (
            "  - {name: cpu, machine: c7i.48xlarge, max: 16}\n",
            "",
            [("queues[0]", {"name": "cpu", "machine": "c7i.48xlarge", "max": 16}, ABSENT, 8)],
        ),
        (
            "name: gpu",
            "name: big",
            [
                ("queues[1]", {"name": "gpu", "machine": "p5.48xlarge", "max": 4}, ABSENT, 9),
                ("queues[1]", ABSENT, {"name": "big", "machine": "p5.48xlarge", "max": 4}, 9),
            ],
        ),
    ],
)
def test_changes_of_the_user_are_found(old: str, new: str, expected: list[Any]) -> None:
    assert differing(BEFORE, BEFORE.replace(old, new) if old else BEFORE) == expected


def test_queues_are_known_by_their_names_wherever_they_stand() -> None:
    lines = BEFORE.splitlines()
    after = "\n".join([*lines[:-2], lines[-1].replace("max: 4", "max: 8"), lines[-2]])
    assert differing(BEFORE, after) == [
        ("queues", ["cpu", "gpu"], ["gpu", "cpu"], 7),
        ("queues[0].max", 4, 8, 8),
    ]


def test_an_encrypted_value_is_not_shown() -> None:
    secret = "name: x\npassword: {secure: AAABAJ}\n"
    assert described(read_yaml(secret, "x.yaml"))["value"] == {"name": "x", "password": "<secret>"}
    assert differing("name: x\n", secret) == [("password", ABSENT, "<secret>", 2)]
