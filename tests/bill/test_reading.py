"""What is read of an export, and how its errors name the place."""

import pytest

from hpc_components.bill.export import read_export
from hpc_components.bill.hostlists import expand
from hpc_components.bill.jobs import read_jobs
from hpc_components.bill.records import LedgerError, read_ledger
from hpc_components.elastic.ledger.export import JOB_FIELDS
from tests.bill.records import line, runs


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}\n{", "ledger.jsonl:1: a record needs a text as 'kind'"),
        ('{"kind": "registered", "id": "i", "at": 1}\n{\n', "ledger.jsonl:2: this is not valid JSON"),
        ("[1]\n", "ledger.jsonl:1: this is not a JSON object"),
        (
            '{"kind": "registered", "id": 1, "at": 1}\n',
            "ledger.jsonl:1: the record 'registered' needs a text as 'id'",
        ),
        ('{"kind": "registered", "id": "i", "at": true}\n', "at of the record 'registered': True is not a time"),
        ('{"kind": "registered", "id": "i", "at": NaN}\n', "nan is not a time"),
        ('{"kind": "service", "since": 1, "what": "x", "usd_per_hour": "1e3"}\n', "'1e3' is not an amount in USD"),
        ('{"kind": "service", "since": 1, "what": "x", "usd_per_hour": 3.06}\n', "needs a text as 'usd_per_hour'"),
    ],
)
def test_a_malformed_line_is_named(text: str, said: str) -> None:
    with pytest.raises(LedgerError) as refused:
        read_ledger(text.splitlines(keepends=True), "ledger.jsonl")
    assert said in str(refused.value)


def test_a_torn_last_line_is_ignored_where_it_may_be() -> None:
    lines = ['{"kind": "registered", "id": "i", "at": 1}\n', '{"kind": "regis']
    assert len(read_ledger(lines, "x", torn_end=True).registered) == 1
    with pytest.raises(LedgerError):
        read_ledger(lines, "x")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["JobIDRaw|User"], "jobs.psv:1: the first line must name the columns; missing: Account"),
        (["|".join(JOB_FIELDS), "1|2|3"], "jobs.psv:2: this is not a line of sacct"),
        (["|".join(JOB_FIELDS), line(1, 5, 6).replace("cpu-1", "cpu-[1")], "'cpu-[1' is not a list of nodes"),
        (["|".join(JOB_FIELDS), line(1, 5, 6).replace("1000M", "much")], "'much' is not a size of memory"),
        (["|".join(JOB_FIELDS), line(1, 5, 10**12)], "1000000000000 is not a time"),
    ],
)
def test_a_malformed_line_of_jobs_is_named(lines: list[str], said: str) -> None:
    with pytest.raises(LedgerError) as refused:
        read_jobs(lines, "jobs.psv")
    assert said in str(refused.value)


def test_jobs_that_never_ran_are_left_out() -> None:
    lines = [line(1, 5, 6, Start="Unknown"), line(2, 5, 6, NodeList="None assigned"), line(3, 5, 6, Start="None")]
    assert runs(*lines, line(4, 5, 6, JobName="a|b")) == [*runs(line(4, 5, 6, JobName="a|b"))]
    assert runs(line(4, 5, 6, JobName="a|b"))[0].name == "a|b"


def test_an_export_with_another_currency_is_refused() -> None:
    about = b'{"cluster": "x", "cloud": "y", "region": "z", "since": 0, "until": 1, "currency": "EUR"}'
    files = {"about.json": about, "ledger.jsonl": b"", "jobs.psv": b""}
    with pytest.raises(LedgerError, match=r"x/about.json: .*the currency is 'EUR'"):
        read_export("x", files.__getitem__)


@pytest.mark.parametrize(
    ("hostlist", "names"),
    [("a-[1-2,09-10],b", "a-1 a-2 a-09 a-10 b"), ("x", "x"), ("n[1]-gpu", "n1-gpu")],
)
def test_node_lists_are_expanded(hostlist: str, names: str) -> None:
    assert " ".join(expand(hostlist)) == names


@pytest.mark.parametrize("hostlist", ["a[1", "a[x]", "a[1-9999999]", "a[1][2]"])
def test_a_malformed_node_list_is_refused(hostlist: str) -> None:
    with pytest.raises(ValueError, match="is not a"):
        expand(hostlist)
