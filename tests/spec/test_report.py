import json
import re
from dataclasses import replace

import pytest

from hpc_components.spec.findings import Finding, Level
from hpc_components.spec.report import Judged, report
from hpc_components.spec.source import Position, UnreadableError
from hpc_components.spec.validate import Judgement
from tests.spec.described import judged

ERROR = Finding(
    id="HPC-NET-003", level=Level.ERROR, path="network.cidr", value="10.0.0.0/8", reason="it is too large",
    remedy="use a /16", file="stacks/Pulumi.a.yaml", line=7, column=13,
)  # fmt: skip
WARNING = Finding(
    id="HPC-QTA-001", level=Level.WARNING, path="queues[0].max", value=4, reason="100% of 3, or: more\nthan that",
    remedy="ask", file="a,b:c%.yaml", line=9, column=1,
)  # fmt: skip
INFO = Finding(id="HPC-HED-006", level=Level.INFO, path="", value=None, reason="known", remedy="none")


def one(*findings: Finding, silenced: tuple[Finding, ...] = ()) -> Judged:
    return Judged("stacks/Pulumi.a.yaml", Judgement(None, findings, silenced))


def test_text_gives_place_reason_and_way_out() -> None:
    assert report([one(ERROR)], "text") == (
        "stacks/Pulumi.a.yaml:7:13: error HPC-NET-003 network.cidr\n"
        "    it is too large\n"
        "    -> use a /16\n"
        "\n1 error, 0 warnings in 1 cluster"
    )


@pytest.mark.parametrize(
    ("findings", "silenced", "summary"),
    [
        ((), (), "0 errors, 0 warnings in 1 cluster"),
        ((ERROR, ERROR, WARNING), (), "2 errors, 1 warning in 1 cluster"),
        ((INFO,), (ERROR, WARNING), "0 errors, 0 warnings, 1 info, 2 silenced in 1 cluster"),
    ],
)
def test_the_summary_counts_findings_by_level(
    findings: tuple[Finding, ...], silenced: tuple[Finding, ...], summary: str
) -> None:
    assert report([one(*findings, silenced=silenced)], "text").splitlines()[-1] == summary


def test_several_clusters_are_counted_together() -> None:
    assert report([one(ERROR), one(ERROR)], "text").endswith("2 errors, 0 warnings in 2 clusters")


def test_colour_does_not_change_the_words() -> None:
    plain, coloured = (report([one(ERROR, WARNING, INFO)], "text", colour=colour) for colour in (False, True))
    assert "\033" not in plain
    assert "\033[31;1merror\033[0m" in coloured
    assert re.sub(r"\033\[[0-9;]*m", "", coloured) == plain


def test_json_is_stable_and_complete() -> None:
    text = report([one(ERROR, INFO, silenced=(WARNING,))], "json")
    assert text == report([one(ERROR, INFO, silenced=(WARNING,))], "json")
    assert json.loads(text) == {
        "validate": 1,
        "clusters": [
            {
                "file": "stacks/Pulumi.a.yaml",
                "cluster": None,
                "findings": [
                    {
                        "id": "HPC-NET-003", "level": "error", "path": "network.cidr", "value": "10.0.0.0/8",
                        "reason": "it is too large", "remedy": "use a /16", "file": "stacks/Pulumi.a.yaml",
                        "line": 7, "column": 13,
                    },
                    {"id": "HPC-HED-006", "level": "info", "path": "", "reason": "known", "remedy": "none"},
                ],
                "silenced": [
                    {
                        "id": "HPC-QTA-001", "level": "warning", "path": "queues[0].max", "value": 4,
                        "reason": "100% of 3, or: more\nthan that", "remedy": "ask", "file": "a,b:c%.yaml",
                        "line": 9, "column": 1,
                    }
                ],
            }
        ],
        "unreadable": [],
    }  # fmt: skip
    assert list(json.loads(text)) == sorted(json.loads(text)), "keys are sorted"


UNREADABLE = [
    UnreadableError("put it in quotes", "a.yaml", Position(2, 6)),
    UnreadableError("b.yaml can't be read: No such file", "b.yaml"),
    UnreadableError("there is no stack x"),
]


def test_what_can_not_be_read_is_told_where_programs_read() -> None:
    assert json.loads(report([], "json", unreadable=UNREADABLE)) == {
        "validate": 1,
        "clusters": [],
        "unreadable": [
            {"file": "a.yaml", "line": 2, "column": 6, "reason": "put it in quotes"},
            {"file": "b.yaml", "reason": "b.yaml can't be read: No such file"},
            {"reason": "there is no stack x"},
        ],
    }
    assert report([], "github", unreadable=UNREADABLE).splitlines() == [
        "::error file=a.yaml,line=2,col=6::put it in quotes",
        "::error file=b.yaml::b.yaml can't be read: No such file",
        "::error::there is no stack x",
    ]


def test_text_is_wrapped_at_words_below_its_first_one() -> None:
    long = replace(
        ERROR, reason="a reason of many words " * 3, remedy="a-way-out-that-is-one-word and more, and more"
    )
    assert report([one(long)], "text", width=30, colour=True).splitlines()[:-2] == [
        "stacks/Pulumi.a.yaml:7:13:",
        "    \033[31;1merror\033[0m HPC-NET-003",
        "    network.cidr",
        "    a reason of many words a",
        "    reason of many words a",
        "    reason of many words",
        "    -> a-way-out-that-is-one-word",
        "       and more, and more",
    ]


def test_json_names_the_cluster() -> None:
    (cluster,) = json.loads(report([Judged("f.yaml", judged())], "json"))["clusters"]
    assert cluster["cluster"] == "cfd"


def test_github_annotations_escape_their_own_separators() -> None:
    error, warning, info = report([one(ERROR, WARNING, INFO)], "github").splitlines()
    assert error == (
        "::error file=stacks/Pulumi.a.yaml,line=7,col=13,title=HPC-NET-003 network.cidr::it is too large; use a /16"
    )
    assert warning == (
        "::warning file=a%2Cb%3Ac%25.yaml,line=9,col=1,title=HPC-QTA-001 queues[0].max"
        "::100%25 of 3, or: more%0Athan that; ask"
    )
    assert info == "::notice title=HPC-HED-006 ::known; none"


def test_github_says_nothing_of_what_is_right_or_silenced() -> None:
    assert report([one(silenced=(ERROR,))], "github") == ""
