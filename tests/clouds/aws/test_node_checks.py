from dataclasses import replace

import pytest

from clouds.aws.sample import TAGS
from hpc_components.aws import Tags
from hpc_components.aws.components.launch_template import RootDisk
from hpc_components.aws.components.node_checks import (
    MAX_USER_DATA,
    check_disk,
    check_image,
    check_machine,
    check_tags,
    check_user_data,
)

DISK = RootDisk(size_gib=64)


def test_what_is_right_passes() -> None:
    check_machine("a.machine", "c6i.xlarge")
    check_image("a.image", "ami-0123456789abcdef0")
    check_image("a.image", "resolve:ssm:/aws/service/canonical/ubuntu/server/24.04/stable/20260101/amd64:3")
    check_user_data("a.user_data", "x" * MAX_USER_DATA)
    check_tags("a.tags", TAGS)
    check_disk("a.root", DISK)
    check_disk("a.root", replace(DISK, iops=6000, throughput=500))


def test_a_misspelt_machine_is_refused_with_a_proposal() -> None:
    with pytest.raises(
        ValueError, match=r"^a\.machine: 'c6i\.xlrage' is not an EC2 machine type; did you mean .*c6i\.xlarge"
    ):
        check_machine("a.machine", "c6i.xlrage")


@pytest.mark.parametrize("image", ["", "ubuntu", "ami-xyz", "resolve:ssm:", "ssm:/a", "ami-0123456789abcdef0 "])
def test_a_wrong_image_id_is_refused(image: str) -> None:
    with pytest.raises(ValueError, match=r"^a\.image: .* is not an image; write ami-"):
        check_image("a.image", image)


def test_user_data_is_counted_in_bytes() -> None:
    with pytest.raises(ValueError, match=r"^a\.user_data: 16386 bytes"):
        check_user_data("a.user_data", "é" * (MAX_USER_DATA // 2 + 1))


@pytest.mark.parametrize("key", ["cost center", "team/hpc", "größe", "_index", ""])
def test_a_tag_that_metadata_cannot_hold_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match=rf"^a\.tags\.extra: '{key}' can't be in instance metadata"):
        check_tags("a.tags", Tags("cfd", {key: "x"}))


@pytest.mark.parametrize(
    ("disk", "message"),
    [
        (replace(DISK, type="gp9"), r"a\.root\.type: EBS has no 'gp9'; use gp3"),
        (replace(DISK, size_gib=0), r"a\.root\.size_gib: gp3 has 1 to \d+ GiB, not 0"),
        (replace(DISK, type="st1"), r"a\.root\.size_gib: st1 has 125 to"),
        (replace(DISK, iops=2999), r"a\.root\.iops: gp3 takes 3000 to \d+, not 2999"),
        (replace(DISK, throughput=100), r"a\.root\.throughput: gp3 takes 125 to"),
        (replace(DISK, type="io2", iops=6000, throughput=125), r"a\.root\.throughput: io2 does not take it"),
        (replace(DISK, type="sc1", size_gib=500, iops=3000), r"a\.root\.iops: sc1 does not take it"),
        (replace(DISK, type="io2"), r"a\.root\.iops: io2 needs a value, 100 to 64000; or use gp3"),
        (
            replace(DISK, type="io1", iops=5000),
            r"a\.root\.iops: io1 takes 100 to 3200 where size_gib is 64, not 5000",
        ),
        (
            replace(DISK, throughput=1000),
            r"a\.root\.throughput: gp3 takes 125 to 750 where iops is the least, not 1000",
        ),
        (replace(DISK, iops=3200, throughput=1000), r"a\.root\.throughput: gp3 takes 125 to 800 where iops is 3200"),
    ],
)
def test_a_wrong_disk_is_refused(disk: RootDisk, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        check_disk("a.root", disk)
