import pytest

from hpc_components.catalog import reserved_mount


@pytest.mark.parametrize(
    ("cloud", "path", "forbidden_by"),
    [
        ("gcp", "/usr/local/x", "/usr"),
        ("gcp", "/opt", "/opt"),
        ("gcp", "/opt/aws", None),
        ("aws", "/opt/aws", "/opt/aws"),
        ("aws", "/opt/amazon/efa", "/opt/amazon"),
    ],
)
def test_directories_of_a_clouds_own_software_are_taken_there(cloud, path, forbidden_by):
    assert reserved_mount(cloud, path) == forbidden_by
