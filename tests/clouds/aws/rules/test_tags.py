import pytest

from tests.spec.rules.judged import paths, problems


@pytest.mark.parametrize(("count", "right"), [(40, True), (41, False)])
def test_a_resource_has_few_tags(count, right):
    assert paths("HPC-TAG-001", tags={f"k{index}": "x" for index in range(count)}) == ([] if right else ["tags"])


@pytest.mark.parametrize("key", ["Team", "a:b", "a.b@c", "a" * 128, "a-b_c+d=e:f"])
def test_a_right_tag_key_is_accepted(key):
    assert not paths("HPC-TAG-002", tags={key: "x"})


@pytest.mark.parametrize("key", ["", "a b", "a/b", "a" * 129, "_index", "..", "a#", "größe", "cost,centre"])
def test_a_wrong_tag_key_is_found(key):
    assert paths("HPC-TAG-002", tags={key: "x"}) == [f"tags.{key}"]


def test_the_remedy_proposes_a_tag_key():
    (problem,) = problems("HPC-TAG-002", tags={"Cost Center": "x"})
    assert problem.remedy.endswith(": Cost-Center")


@pytest.mark.parametrize("value", ["", "a b/c", "x" * 256])
def test_a_right_tag_value_is_accepted(value):
    assert not paths("HPC-TAG-003", tags={"k": value})


@pytest.mark.parametrize("value", ["a,b", "#1", "x" * 257, "a\tb", "aws:x"])
def test_a_wrong_tag_value_is_found(value):
    assert paths("HPC-TAG-003", tags={"k": value}) == ["tags.k"]


@pytest.mark.parametrize("key", ["aws:a", "AWS:a", "hpc:queue", "Name", "name", "ClusterName", "clustername"])
def test_a_reserved_tag_key_is_found(key):
    assert paths("HPC-TAG-004", tags={key: "x"}) == [f"tags.{key}"]


@pytest.mark.parametrize("key", ["awsome", "hpc", "Names", "Cluster"])
def test_a_key_like_a_reserved_one_is_accepted(key):
    assert not paths("HPC-TAG-004", tags={key: "x"})


def test_tag_keys_that_differ_by_case_are_found():
    assert paths("HPC-TAG-005", tags={"Team": "a", "Dept": "b", "team": "c"}) == ["tags.team"]
