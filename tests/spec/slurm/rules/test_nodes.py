import pytest

from ...rules.judged import paths, queue


@pytest.mark.parametrize(("source", "right"), [
    ("s3://b/p", True), ("https://h/p", True), ("https://h", True), ("http://h/p", False), ("h/p", False),
    ("s3://", False), ("file:///x", False),
])  # fmt: skip
def test_a_package_source_must_be_an_address(source, right):
    assert bool(paths("HPC-SLM-015", slurm={"package_source": source})) is not right


@pytest.mark.parametrize(
    ("time", "right"), [("60s", True), ("59s", False), ("0s", False), ("1d", True), ("25h", False)]
)
def test_an_idle_time_has_bounds(time, right):
    assert bool(paths("HPC-SLM-016", slurm={"idle_time": time})) is not right
    assert bool(paths("HPC-SLM-016", queues=[queue(idle_time=time)])) is not right
