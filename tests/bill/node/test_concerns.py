"""Who sees which budgets, with Slurm's commands stood in for."""

import json
from collections.abc import Callable

import pytest

from hpc_components.bill.node import associations, concerns
from hpc_components.bill.node.described import Budget, Described

LINE = (
    "ClusterName=lab Account={} UserName={} Partition={} Priority=0 ID=1 ParentAccount={} Lineage=/lab/ DefAssoc=Yes "
    "GrpTRESMins=cpu=N(0),billing={}({}),pages=N(0) GrpTRESRunMins=cpu=N(0),billing=N({}),pages=N(0) "
    "MinPrioThresh= Comment=Account=acme GrpTRESMins=billing=1(0)\n"
)
"""A line of `scontrol -o show assoc_mgr` of Slurm 22.05 and 24.11, without what is not read."""

LINES = "Current Association Manager state\nAssociation Records\n" + "".join(
    LINE.format(*fields)
    for fields in (
        ("root", "", "", "", "N", 9, 0),
        ("acme", "", "", "root(1)", "9000000", 4000000, 1000000),
        ("lab", "", "", "acme(2)", "5000000", 4000000, 1000000),
        ("lab", "ada(2101)", "", "", "2000000", 1000000, 0),
        ("lab", "ada(2101)", "gpu", "", "N", 0, 0),
        ("birch", "", "", "root(1)", "7000000", 0, 0),
        ("birch", "bea(2102)", "", "", "N", 0, 0),
    )
)


def budget(kind: str, name: str, account: str, user: str = "") -> Budget:
    return Budget(kind=kind, name=name, association=(account, user), period="month", micros=10**7)


BUDGETS = [
    budget("organization", "acme", "acme"),
    budget("account", "lab", "lab"),
    budget("person", "ada", "lab", "ada"),
    budget("organization", "birch", "birch"),
]


@pytest.fixture
def seen_by(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """The budgets that a user sees, who may be an administrator, or coordinate an account."""

    def see(user: str, *, level: str = "None", coordinates: str = "") -> list[str]:
        def output_of(*command: str) -> str:
            if command[0] == "scontrol":
                return LINES
            assert (command[0], f"name={user}" in command) == ("sacctmgr", True)
            return f"{level}|{coordinates}\n" if level else ""

        described = Described(cluster="lab", at_limit="finish", budgets=BUDGETS, queues={})
        monkeypatch.setattr(concerns, "read", lambda: described)
        monkeypatch.setattr(concerns, "output_of", output_of)
        monkeypatch.setattr(associations, "output_of", output_of)
        monkeypatch.setenv("SUDO_UID", "2101")
        monkeypatch.setattr(concerns.os, "geteuid", lambda: 0)
        monkeypatch.setattr(concerns.pwd, "getpwuid", lambda uid: type("Entry", (), {"pw_name": user}))
        printed: list[str] = []
        monkeypatch.setattr("builtins.print", printed.append)
        concerns.VERB.do(None)  # ty: ignore[invalid-argument-type]
        return [one["name"] for one in json.loads(printed[0])["budgets"]]

    return see


@pytest.mark.parametrize(("user", "rights", "names"), [
    ("ada", {}, ["acme", "lab", "ada"]),
    ("bea", {}, ["birch"]),
    ("cy", {}, []),
    ("bea", {"coordinates": "acme"}, ["acme", "lab", "ada", "birch"]),
    ("bea", {"coordinates": "lab"}, ["lab", "ada", "birch"]),
    ("bea", {"coordinates": "root2,lab"}, ["lab", "ada", "birch"]),
    ("cy", {"level": "Administrator"}, ["acme", "lab", "ada", "birch"]),
    ("cy", {"level": "Operator"}, []),
    ("cy", {"level": ""}, []),
])  # fmt: skip
def test_a_person_sees_the_budgets_of_their_accounts(
    seen_by: Callable[..., list[str]], user: str, rights: dict[str, str], names: list[str]
) -> None:
    assert seen_by(user, **rights) == names


def test_limits_and_usage_are_read_without_those_of_partitions() -> None:
    found = associations.parse(LINES)
    assert (found["lab", "ada"].limit, found["lab", "ada"].used) == (2_000_000, 1_000_000)
    assert (found["acme", ""].parent, found["acme", ""].reserved) == ("root", 1_000_000)
    assert (found["root", ""].limit, found["birch", "bea"].limit) == (None, None)
