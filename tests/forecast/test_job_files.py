"""Reading exports of sacct and traces in the Standard Workload Format."""

import gzip
from collections import Counter
from pathlib import Path

import pytest

from hpc_components.forecast.job_file import opened_jobs
from hpc_components.forecast.jobs import Job, JobFileError, in_order
from hpc_components.forecast.sacct import sacct_jobs
from hpc_components.forecast.swf import swf_jobs
from tests.forecast.fleets import job
from tests.forecast.traces import QUEUES

HERE = Path(__file__).parent
TRACE = HERE / "hpc2n.swf"
"""The first jobs of the HPC2N log (see its header)."""

HEADER = "JobID|User|Account|Partition|Submit|Eligible|Start|ElapsedRaw|Timelimit|NNodes|NCPUS|ReqTRES|State"
BRIEF = "JobID|Submit|Start|ElapsedRaw"


def read(*rows: str, header: str = HEADER) -> tuple[list[Job], Counter[str]]:
    """The jobs of an export, and what was skipped."""
    skipped: Counter[str] = Counter()
    return list(sacct_jobs([header, *rows], skipped)), skipped


def row(**changed: str) -> str:
    """A row of an export, with these columns changed."""
    values = {
        "JobID": "7", "User": "alice", "Account": "physics", "Partition": "cpu", "Submit": "2026-11-01T00:00:10",
        "Eligible": "2026-11-01T00:00:10", "Start": "2026-11-01T00:01:00", "ElapsedRaw": "3600",
        "Timelimit": "1-02:00:00", "NNodes": "2", "NCPUS": "192", "ReqTRES": "billing=192,cpu=192,mem=200G,node=2",
        "State": "COMPLETED",
    } | changed  # fmt: skip
    return "|".join(values[name] for name in HEADER.split("|"))


def test_a_row_is_a_job() -> None:
    ((found,), skipped) = read(row())
    assert found == Job(
        submit=20758 * 86400 + 10, seconds=3600, limit=26 * 3600, nodes=2, cpus=192, memory_mib=200 * 1024, gpus=0,
        queue="cpu", account="physics", user="alice", name="7", waited=50,
    )  # fmt: skip
    assert not skipped


def test_columns_are_found_by_name_in_any_order_and_times_may_be_epochs() -> None:
    header = "State|Start|Submit|JobID|Elapsed|TimelimitRaw|ReqCPUS|ReqMem|AllocTRES"
    line = "COMPLETED|1700000050|1700000000|12_3|00:01:40|90|4|4000M|cpu=4,gres/gpu=2,mem=4000M,node=1"
    ((found,), _) = read(line, header=header)
    assert (found.submit, found.seconds, found.limit, found.waited) == (1700000000, 100, 5400, 50)
    assert (found.nodes, found.cpus, found.memory_mib, found.gpus) == (1, 4, 4000, 2)


def test_a_job_that_was_held_arrives_when_it_could_start() -> None:
    ((found,), _) = read(row(Eligible="2026-11-01T00:00:40"))
    assert (found.submit % 86400, found.waited) == (40, 20)


def test_steps_are_left_out_and_jobs_that_never_ran_are_counted() -> None:
    jobs, skipped = read(
        row(JobID="7.batch"), row(JobID="8", Start="Unknown", State="CANCELLED by 1000"), row(State="PENDING"), row()
    )
    assert [each.name for each in jobs] == ["7"]
    assert skipped == {"the job never ran": 1, "the job was still waiting": 1}


@pytest.mark.parametrize(
    ("text", "limit"), [("UNLIMITED", 0), ("Partition_Limit", 0), ("00:01:00", 60), ("30", 1800), ("2-0", 172800)]
)
def test_time_limits_are_read_as_slurm_writes_them(text: str, limit: int) -> None:
    ((found,), _) = read(row(Timelimit=text))
    assert found.limit == limit


def test_a_job_with_many_more_cpus_than_it_asked_for_had_whole_nodes() -> None:
    ((found,), _) = read(row(NCPUS="192", ReqTRES="cpu=2,mem=200G,node=2"))
    assert found.cpus == 0


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["JobID|State"], "the first line names no column Submit, Start, ElapsedRaw"),
        ([HEADER, "1|2"], "line 2 has 2 fields, but the first line names 13"),
        ([HEADER, row(Submit="yesterday")], "line 2: 'yesterday' is not a time like 2026-11-28T13:04:18"),
        ([HEADER, row(Timelimit="long")], "line 2: 'long' is not a time limit"),
    ],
)
def test_what_can_t_be_read_is_refused_with_its_line(lines: list[str], words: str) -> None:
    with pytest.raises(JobFileError, match=words.replace("(", r"\(")):
        list(sacct_jobs(lines, Counter()))


def test_jobs_are_put_in_order_of_time_and_others_refused() -> None:
    jobs = [job(submit) for submit in (3, 1, 2, 9, 8, 7)]
    assert [each.submit for each in in_order(jobs, held=3)] == [1, 2, 3, 7, 8, 9]
    with pytest.raises(JobFileError, match="sort the file"):
        list(in_order([job(submit) for submit in (5, 6, 7, 8, 1)], held=2))


def test_a_public_trace_is_read() -> None:
    skipped: Counter[str] = Counter()
    with opened_jobs(TRACE, skipped) as jobs:
        found = list(jobs)
    first = found[0]
    assert first.submit == 1027839845 + 342072
    assert (first.seconds, first.cpus, first.limit, first.waited) == (43306, 32, 43200, 32)
    assert (len(found), skipped.total()) == (150, 0)


def test_a_compressed_trace_is_the_same(tmp_path: Path) -> None:
    packed = tmp_path / "trace.swf.gz"
    packed.write_bytes(gzip.compress(TRACE.read_bytes()))
    with opened_jobs(packed, Counter()) as one, opened_jobs(TRACE, Counter()) as other:
        assert list(one) == list(other)


@pytest.mark.parametrize("text", ["1 2 3\n", "x" * 100_000, "; only a header\n1 2 3 x x\n", "\x00\x01\n", "\n"])
def test_other_files_are_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "jobs.txt"
    file.write_text(text)
    with pytest.raises(JobFileError, match=r"jobs\.txt: "), opened_jobs(file, Counter()) as jobs:
        list(jobs)


@pytest.mark.parametrize("file", sorted((HERE / "recorded").glob("*.sacct")), ids=lambda file: file.stem)
def test_what_real_slurm_exports_is_read(file: Path) -> None:
    skipped: Counter[str] = Counter()
    with opened_jobs(file, skipped) as read:
        found = list(read)
    assert (len(found), skipped.total()) == (len(file.read_text().splitlines()) - 1, 0)
    assert all(each.limit in (60, 120, 300) and each.waited >= 0 and each.user == "alice" for each in found)
    assert {each.queue for each in found} == set(QUEUES)
    for each in found:
        assert 1 <= each.nodes <= 4
        assert each.cpus in (2 * each.nodes, 2, 4, 6, 8)
        assert each.memory_mib >= 1900 * each.cpus


def test_a_truncated_or_a_broken_archive_is_refused(tmp_path: Path) -> None:
    packed = gzip.compress(TRACE.read_bytes())
    for content in (packed[:-50], packed[:100] + b"?" * 200 + packed[300:]):
        file = tmp_path / "jobs.gz"
        file.write_bytes(content)
        with pytest.raises(JobFileError, match="can't read"), opened_jobs(file, Counter()) as jobs:
            list(jobs)


@pytest.mark.parametrize("path", [Path("/dev/zero"), Path("/")])
def test_only_regular_files_are_read(path: Path) -> None:
    with pytest.raises(JobFileError, match="can't read"), opened_jobs(path, Counter()) as jobs:
        list(jobs)


def test_a_field_of_the_wrong_kind_is_refused() -> None:
    line = " ".join(["1", "zero", *["1"] * 16])
    with pytest.raises(JobFileError, match=r"line 1: one of the first ten fields is not a number$"):
        list(swf_jobs([line], Counter()))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("; UnixStartTime:\n", "line 1: '' is not a time"),
        ("; UnixStartTime: soon\n", "line 1: 'soon' is not a time"),
        (" ".join(["1", "inf", *["1"] * 16]), "line 1: one of the first ten fields"),
        (" ".join(["1", "1000000000000", *["1"] * 16]), "job 1 was submitted at 1000000000000 s"),
        (" ".join(["1", "1", "1", "99999999999999", *["1"] * 14]), "ran for 99999999999999 s"),
        (f"{BRIEF}\n7|1795875844000|1795875845000|60\n", "job 7 was submitted at 1795875844000 s"),
    ],
)
def test_times_that_are_none_or_of_no_clock_are_refused(content: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "jobs.txt"
    file.write_text(content)
    with pytest.raises(JobFileError, match=words), opened_jobs(file, Counter()) as jobs:
        list(jobs)


def test_a_byte_order_mark_is_ignored(tmp_path: Path) -> None:
    file = tmp_path / "jobs.txt"
    file.write_text(f"{BRIEF}\n7|1795875844|1795875845|60\n", encoding="utf-8-sig")
    with opened_jobs(file, Counter()) as jobs:
        assert [job.name for job in jobs] == ["7"]
