"""Formats of values that Google Cloud documents and its SDK does not check."""

import pytest

from hpc_components.gcp.plan.inputs.formats import FORMATS
from hpc_components.gcp.plan.inputs.relations import labels
from hpc_components.preview.resources import UNKNOWN


@pytest.mark.parametrize(
    ("name", "texts"),
    {
        "cidr": ["10.0.0.0/8", "203.0.113.7", "2001:db8::/32"],
        "firewall_protocol": ["tcp", "all", "17", "0"],
        "member": ["user:a@b.org", "serviceAccount:x@p.iam.gserviceaccount.com", "allUsers", "projectOwner:p"],
        "network_profile": ["projects/p/global/networkProfiles/us-central1-a-vpc-falcon"],
        "permission": ["compute.instances.get", "lustre.instances.exportData"],
        "port_range": ["22", "6817-6829", "0"],
        "role": ["roles/storage.objectViewer", "projects/p/roles/cfd_head", "organizations/1/roles/x"],
    }.items(),
)
def test_values_of_the_right_format_pass(name: str, texts: list[str]) -> None:
    assert [FORMATS[name](text) for text in texts] == [None] * len(texts)


@pytest.mark.parametrize(
    ("name", "texts"),
    {
        "cidr": ["campus", "10.0.0.1/8", "10.0.0.0/33"],
        "firewall_protocol": ["tpc", "TCP", "256", "-1"],
        "member": ["a@b.org", "serviceaccount:x", "user:"],
        "network_profile": ["us-central1-a-vpc-falcon", "projects/p/global/networks/x"],
        "permission": ["compute.*", "compute", "compute.instances."],
        "port_range": ["ssh", "22-21", "70000", "*", "22,443"],
        "role": ["storage.objectViewer", "roles/", "projects/p/x"],
    }.items(),
)
def test_wrong_forms_are_refused_with_a_way_out(name: str, texts: list[str]) -> None:
    assert all(fault and fault[0] and fault[1] for fault in map(FORMATS[name], texts))


def test_labels_that_are_not_known_pass() -> None:
    assert list(labels({"labels": UNKNOWN})) == []
