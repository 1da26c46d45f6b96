import pytest

from hpc_components.spec.findings import Level
from tests.spec.rules.judged import levels, paths, problems, queue


def linked(*links, **changes):
    associations = [{"path": path, "bucket": bucket} for path, bucket in links]
    return {"scratch": {"type": "lustre", "mount": "/fsx", "size": "1.2TiB", "associations": associations} | changes}


def test_scratch_1_takes_no_associations():
    assert paths("HPC-FSX-012", storage=linked(deployment="scratch_1")) == []
    assert paths("HPC-FSX-012", storage=linked(("/a", "s3://aaa"), deployment="scratch_1")) == [
        "storage.scratch.deployment"
    ]


@pytest.mark.parametrize(("count", "short", "right"), [(8, None, True), (9, None, False), (8, "s3://bbb", False)])
def test_a_lustre_has_few_links(count, short, right):
    links = [(f"/d{index}", f"s3://aaa/{index}") for index in range(count)]
    assert (not paths("HPC-FSX-013", storage=linked(*links, import_from=short))) is right


@pytest.mark.parametrize("bucket", ["s3://my-data", "s3://my-data/", "s3://my-data/a/b", "s3://my.data"])
def test_a_right_bucket_address_is_accepted(bucket):
    assert not paths("HPC-FSX-014", storage=linked(import_from=bucket))


@pytest.mark.parametrize(
    ("bucket", "hint"),
    [
        ("my-data", "s3://my-data?"),
        ("https://my-data", "s3://my-data?"),
        ("arn:aws:s3:::my-data/x", "s3://my-data/x?"),
        ("s3://My_Data", "my-data"),
        ("s3://ab", "3 to 63"),
        ("s3://", "3 to 63"),
    ],
)
def test_a_wrong_bucket_address_is_found(bucket, hint):
    (problem,) = problems("HPC-FSX-014", storage=linked(("/a", bucket)))
    assert problem.path[-3:] == ("associations", 0, "bucket")
    assert hint in problem.remedy


@pytest.mark.parametrize(
    ("paths_linked", "right"),
    [
        (("/a", "/b"), True), (("/a", "/ab"), True), (("/a", "/a"), False), (("/a", "/a/"), False),
        (("/a/b", "/a"), False), (("/", "/a"), False), (("/",), True), (("a",), False), (("/a b",), False),
        (("/a/../b",), False),
    ],
)  # fmt: skip
def test_linked_directories_must_not_overlap(paths_linked, right):
    links = [(path, f"s3://bucket{index}") for index, path in enumerate(paths_linked)]
    assert (not paths("HPC-FSX-015", storage=linked(*links))) is right


def test_whole_file_system_is_linked_alone():
    assert paths("HPC-FSX-015", storage=linked(("/a", "s3://aaa"), import_from="s3://bbb")) == [
        "storage.scratch.associations[0].path"
    ]


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ("s3://aaa/x", "s3://aaa/y", []),
        ("s3://aaa/x", "s3://aaa/xy", []),
        ("s3://aaa", "s3://aaa/", [Level.ERROR]),
        ("s3://aaa", "s3://aaa/y", [Level.WARNING]),
        ("s3://aaa/x/y", "s3://aaa/x", [Level.WARNING]),
    ],
)
def test_overlapping_bucket_prefixes_are_found(one, other, found):
    assert levels("HPC-FSX-016", storage=linked(("/a", one), ("/b", other))) == found


def test_same_prefix_in_two_file_systems_is_a_warning():
    both = linked(import_from="s3://aaa") | {"other": linked(import_from="s3://aaa")["scratch"]}
    assert levels("HPC-FSX-016", storage=both) == [Level.WARNING]


def test_overlap_of_links_without_a_path_is_shown_at_the_link():
    storage = linked(import_from="s3://aaa")
    storage["scratch"]["associations"] = [{"bucket": "s3://bbb"}]
    assert paths("HPC-FSX-015", storage=storage) == ["storage.scratch.associations[0]"]
    storage["scratch"]["associations"] = [{"path": "/", "bucket": "s3://bbb"}]
    assert paths("HPC-FSX-015", storage=storage) == ["storage.scratch.associations[0].path"]


def test_an_export_that_deletes_is_found():
    storage = linked(("/a", "s3://aaa"))
    assert not paths("HPC-FSX-017", storage=storage)
    storage["scratch"]["associations"][0]["auto_export"] = ["new", "changed", "deleted"]
    assert paths("HPC-FSX-017", storage=storage) == ["storage.scratch.associations[0].auto_export[2]"]


def test_scratch_with_an_export_is_not_mentioned():
    assert paths("HPC-FSX-018", storage=linked()) == ["storage.scratch"]
    assert not paths("HPC-FSX-018", storage=linked(import_from="s3://aaa"))


def test_a_queue_in_another_zone_is_found():
    assert not paths("HPC-FSX-019", storage=linked(), queues=[queue(zones=["use2-az2"])])
    assert paths("HPC-FSX-019", storage=linked(), queues=[queue(zones=["use2-az1"])]) == ["queues[0].zones[0]"]
    assert not paths("HPC-FSX-019", queues=[queue(zones=["use2-az1"])])


def test_efa_of_storage_wants_efa_of_nodes():
    storage = linked(deployment="persistent_2", throughput=1000, efa=True, size="4.8TiB")
    assert paths("HPC-FSX-020", storage=storage) == ["storage.scratch.efa"]
    assert not paths("HPC-FSX-020", storage=storage, queues=[queue(machine="c6in.32xlarge")])
    assert not paths("HPC-FSX-020", storage=linked(efa=True))  # that is HPC-FSX-006
    assert not paths("HPC-FSX-020", storage=linked(deployment="persistent_2", throughput=1000))


def test_an_operating_system_without_lustre_client_is_found():
    assert paths("HPC-FSX-021", storage=linked(), os="debian-13") == ["os"]
    assert not paths("HPC-FSX-021", storage=linked(), os="ubuntu-22.04")
    assert not paths("HPC-FSX-021", os="debian-13")
    for other in ("beos", "al2", "ubuntu2404"):  # that is HPC-OSI-001 and HPC-OSI-002
        assert not paths("HPC-FSX-021", storage=linked(), os=other)
    own = "ami-0123456789abcdef0"
    nodes = {"head_node": {"machine": "c6i.xlarge", "image": own}, "queues": [queue(image=own)]}
    assert not paths("HPC-FSX-021", storage=linked(), os="debian-13", **nodes)


@pytest.mark.parametrize(("tier", "found"), [("glacier", 1), ("deep_archive", 1), ("glacier_ir", 0)])
def test_a_link_to_a_frozen_bucket_is_found(tier, found):
    buckets = {
        "data": {"type": "s3", "name": "aaa", "archive": {tier: "90d"}},
        "unnamed": {"type": "s3", "archive": {tier: "90d"}},
        "fast": {"type": "s3_express", "name": "bbb"},
    }
    assert len(paths("HPC-FSX-023", storage=linked(import_from="s3://aaa/x"), buckets=buckets)) == found
    assert not paths("HPC-FSX-023", storage=linked(import_from="s3://bbb"), buckets=buckets)
