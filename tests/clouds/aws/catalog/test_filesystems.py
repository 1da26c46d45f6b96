import pytest
from catalog.present import present

from hpc_components.aws.catalog.filesystems import s3_class
from hpc_components.catalog import reserved_mount


def test_an_s3_class_has_its_minimum_days():
    assert present(s3_class("standard_ia")).min_days_before == 30
    assert present(s3_class("deep_archive")).min_days_kept == 180
    assert s3_class("cold") is None


@pytest.mark.parametrize(
    ("path", "forbidden_by"),
    [
        ("/fsx", None),
        ("/home", None),
        ("/mnt/data", None),
        ("/usr", "/usr"),
        ("/usr/local/x", "/usr"),
        ("/usrs", None),
        ("/mnt", "/mnt"),
        ("/opt", "/opt"),
        ("/opt/software", None),
        ("/opt/slurm/etc", "/opt/slurm"),
        ("/", "/"),
    ],
)
def test_a_reserved_mount_names_who_reserves_it(path, forbidden_by):
    assert reserved_mount("aws", path) == forbidden_by
