from dataclasses import dataclass, replace

import pytest

from hpc_components.aws.disks.component import RootDisk, StateDisk, check_disk

DISK = RootDisk(size_gib=64)


@dataclass(frozen=True)
class Args:
    """Arguments of a component with a disk."""

    root: RootDisk | StateDisk


@pytest.mark.parametrize(
    "disk", [DISK, replace(DISK, iops=6000, throughput=500), StateDisk(size_gib=500, type="st1")]
)
def test_a_disk_that_ebs_sells_is_accepted(disk: RootDisk | StateDisk) -> None:
    check_disk(Args(disk), "root")


@pytest.mark.parametrize(
    ("disk", "message"),
    [
        (replace(DISK, type="gp9"), "type = 'gp9': EBS has no such volume type, only gp3, gp2, io1, "),
        (replace(DISK, size_gib=0), "size_gib = 0: gp3 volumes must be between 1 and 65536 GiB, not 0; use 1"),
        (replace(DISK, type="st1"), "size_gib = 64: st1 volumes must be between 125 and 16384 GiB, not 64; use 125"),
        (replace(DISK, type="st1", size_gib=125), "type = 'st1': EC2 can't boot from st1 volumes; use 'gp3'"),
        (replace(DISK, iops=2999), "iops = 2999: gp3 volumes must have 3000 to 80000 IOPS; use 3000"),
        (
            replace(DISK, throughput=100),
            "throughput = 100: the throughput of gp3 volumes must be between 125 and 2000 MiB/s; use 125",
        ),
        (
            replace(DISK, type="io2", iops=6000, throughput=125),
            "throughput = 125: the throughput of io2 volumes can't be set; leave it out; or use root.type='gp3'",
        ),
        (
            replace(DISK, type="sc1", size_gib=500, iops=3000),
            "iops = 3000: the IOPS of sc1 volumes can't be set; leave it out",
        ),
        (
            replace(DISK, type="io2"),
            "iops: io2 volumes require an IOPS value from 100 to 64000; use",
        ),
        (
            replace(DISK, type="io1", iops=5000),
            "iops = 5000: io1 volumes allow 50 IOPS per GiB, so at most 3200 for 64 GiB; use 3200; or use "
            "root.size_gib=100",
        ),
        (
            replace(DISK, throughput=1000),
            "throughput = 1000: 3000 IOPS allow at most 750 MiB/s; use root.iops=4000; or use less throughput",
        ),
        (replace(DISK, iops=3200, throughput=1000), "throughput = 1000: 3200 IOPS allow at most 800 MiB/s"),
    ],
)
def test_a_disk_that_ebs_refuses_is_refused(disk: RootDisk, message: str) -> None:
    with pytest.raises(ValueError, match=r"^Args\.root\.") as error:
        check_disk(Args(disk), "root")
    assert f"Args.root.{message}" in str(error.value)
