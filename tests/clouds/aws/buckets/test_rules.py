import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpc_components.aws.catalog.bucket_names import wrong_bucket_name
from hpc_components.spec.findings import Level
from tests.spec.rules.judged import existing, levels, paths, problems, queue


def s3(**changes):
    return {"data": {"type": "s3"} | changes}


def express(**changes):
    return {"data": {"type": "s3_express"} | changes}


@pytest.mark.parametrize("name", ["abc", "a" * 63, "a-b.c", "1ab", "10.0.0"])
def test_a_right_bucket_name_is_accepted(name):
    assert not paths("HPC-BKT-001", buckets=s3(name=name))


@pytest.mark.parametrize(
    "name", ["ab", "a" * 64, "Abc", "a_b", "-ab", "ab-", "a..b", "xn--abc", "abc-s3alias", "abc--x-s3", "10.0.0.1"]
)
def test_a_wrong_bucket_name_is_found(name):
    assert paths("HPC-BKT-001", buckets=s3(name=name)) == ["buckets.data.name"]


@settings(deadline=None)
@given(st.text(min_size=3, max_size=63))
def test_wrong_names_are_told_with_a_remedy(name):
    wrong = wrong_bucket_name(name)
    assert wrong is None or all(wrong)
    assert (wrong is None) <= (re.fullmatch(r"[a-z0-9][a-z0-9.-]+[a-z0-9]", name) is not None)


@pytest.mark.parametrize(("name", "right"), [("a", True), ("a-1", True), ("a.b", False), ("A", False), ("a-", False)])
def test_names_of_directory_buckets(name, right):
    assert paths("HPC-BKT-001", buckets=express(name=name)) == ([] if right else ["buckets.data.name"])


def test_a_bucket_name_with_dots_is_found():
    assert paths("HPC-BKT-002", buckets=s3(name="a.b.c")) == ["buckets.data.name"]
    assert not paths("HPC-BKT-002", buckets=s3(name="a..b"))


def test_a_bucket_named_twice_is_found():
    both = {"one": s3(name="abc")["data"], "two": s3(name="abc")["data"], "three": s3()["data"], "four": s3()["data"]}
    assert paths("HPC-BKT-003", buckets=both) == ["buckets.two.name"]


def test_a_bucket_name_that_is_made_must_fit():
    longest = 63 - len("cfd-") - len("-0123456")
    assert not paths("HPC-BKT-004", buckets={"b" * longest: {"type": "s3"}})
    assert paths("HPC-BKT-004", buckets={"b" * (longest + 1): {"type": "s3"}}) == [f"buckets.{'b' * (longest + 1)}"]
    assert not paths("HPC-BKT-004", buckets={"b" * 60: {"type": "s3", "name": "abc"}})
    longest = 63 - len("cfd-") - len("-99--use2-az2--x-s3")
    assert not paths("HPC-BKT-004", buckets={"b" * longest: {"type": "s3_express", "shards": 100}})
    assert paths("HPC-BKT-004", buckets={"b" * (longest + 1): {"type": "s3_express", "shards": 100}})


def test_own_name_of_directory_buckets():
    longest = 63 - len("-0--use2-az2--x-s3")
    assert not paths("HPC-BKT-004", buckets=express(name="b" * longest))
    assert paths("HPC-BKT-004", buckets=express(name="b" * (longest + 1))) == ["buckets.data.name"]


@pytest.mark.parametrize(
    ("archive", "right"),
    [
        ({"standard_ia": "30d"}, True), ({"standard_ia": "29d"}, False), ({"glacier_ir": "0d"}, True),
        ({"glacier": "36h"}, False), ({"deep_archive": "48h"}, True),
    ],
)  # fmt: skip
def test_archive_ages_have_a_minimum(archive, right):
    assert bool(paths("HPC-BKT-005", buckets=s3(archive=archive))) is not right


def test_expiry_is_in_days():
    assert paths("HPC-BKT-005", buckets=s3(expire="0d")) == ["buckets.data.expire"]
    assert not paths("HPC-BKT-005", buckets=s3(expire="1d"))


def test_archive_classes_must_get_colder():
    assert not paths("HPC-BKT-006", buckets=s3(archive={"deep_archive": "180d", "glacier_ir": "30d"}))
    assert paths("HPC-BKT-006", buckets=s3(archive={"glacier": "90d", "deep_archive": "90d"})) == [
        "buckets.data.archive.deep_archive"
    ]


@pytest.mark.parametrize(("expire", "right"), [("90d", False), ("91d", True), ("30d", False)])
def test_expiry_must_come_after_archiving(expire, right):
    found = paths("HPC-BKT-007", buckets=s3(archive={"glacier": "90d"}, expire=expire))
    assert found == ([] if right else ["buckets.data.expire"])
    assert not paths("HPC-BKT-007", buckets=s3(expire=expire))


@pytest.mark.parametrize(
    ("archive", "expire", "found"),
    [
        ({"standard_ia": "30d", "deep_archive": "180d"}, None, []),
        ({"standard_ia": "30d", "glacier": "59d"}, None, ["buckets.data.archive.glacier"]),
        ({"standard_ia": "30d", "glacier": "60d"}, None, []),
        ({"deep_archive": "30d"}, "209d", ["buckets.data.expire"]),
        ({"deep_archive": "30d"}, "210d", []),
    ],
)
def test_an_object_deleted_before_its_paid_time_is_found(archive, expire, found):
    assert paths("HPC-BKT-008", buckets=s3(archive=archive, expire=expire)) == found


def test_express_buckets_are_in_few_zones():
    assert not paths("HPC-BKT-009", buckets=express())
    (problem,) = problems("HPC-BKT-009", zone="use2-az3", buckets=express())
    assert problem.path == ("buckets", "data")
    assert "use2-az1 or use2-az2" in problem.remedy
    assert not paths("HPC-BKT-009", buckets=express(zone="nonsense"))


def test_express_in_another_zone_than_the_nodes():
    assert not paths("HPC-BKT-010", buckets=express(zone="use2-az2"))
    assert paths("HPC-BKT-010", buckets=express(zone="use2-az1")) == ["buckets.data.zone"]
    assert not paths("HPC-BKT-010", buckets=express(zone="use2-az1"), queues=[queue(zones=["use2-az1"])])


@pytest.mark.parametrize(("shards", "right"), [(1, True), (100, True), (0, False), (101, False)])
def test_the_number_of_shards_has_bounds(shards, right):
    assert paths("HPC-BKT-011", buckets=express(shards=shards)) == ([] if right else ["buckets.data.shards"])


@pytest.mark.parametrize(("nat", "level"), [("one", Level.WARNING), ("none", Level.ERROR)])
def test_an_express_bucket_needs_its_endpoint(nat, level):
    network = {"cidr": "10.20.0.0/16", "nat": nat}
    assert levels("HPC-BKT-012", buckets=express(), network=network) == [level]
    assert not levels("HPC-BKT-012", buckets=express(), network=network | {"endpoints": ["s3", "s3express"]})
    assert not levels("HPC-BKT-012", buckets=s3(), network=network)
    assert not levels("HPC-BKT-012", buckets=express(), network=existing())
