import pytest
from both_modes import checked_preview

from clouds.gcp.sample import PROJECT
from hpc_components.gcp.apis.component import ProjectServices, ProjectServicesArgs
from hpc_components.preview.record import Recording


def recorded(*uses: str) -> Recording:
    return checked_preview(lambda: ProjectServices("cfd-apis", ProjectServicesArgs(project=PROJECT, uses=uses)))  # ty: ignore[invalid-argument-type]


def apis(recording: Recording) -> list[str]:
    return [each.inputs["service"].removesuffix(".googleapis.com") for each in recording.all("Service")]


def test_they_are_enabled_and_never_disabled():
    recording = recorded("lustre", "filestore")
    for each in recording.all("Service"):
        assert each.inputs["disableOnDestroy"] is False
        assert each.inputs["project"] == PROJECT
        assert each.inputs["service"].endswith(".googleapis.com")
    assert {"compute", "secretmanager", "storage", "logging", "iam"} <= {*apis(recording)}


@pytest.mark.parametrize(
    ("uses", "more"),
    [
        ((), set()),
        (("lustre",), {"lustre", "servicenetworking"}),
        (("lustre", "filestore"), {"lustre", "servicenetworking", "file"}),
        (("budget",), {"billingbudgets"}),
        (("os_login", "iap"), {"oslogin", "iap"}),
        (("lent_identity",), {"iamcredentials"}),
    ],
)
def test_each_api_used_is_there_once(uses, more):
    usual, found = apis(recorded()), apis(recorded(*uses))
    assert {*found} - {*usual} == more
    assert len({*found}) == len(found)


def test_an_unknown_use_is_refused():
    with pytest.raises(
        ValueError,
        match=r"^ProjectServicesArgs\.uses\[1\]: 'netapp' is not a known feature; use any of lent_identity, ",
    ):
        ProjectServicesArgs(project=PROJECT, uses=("lustre", "netapp"))  # ty: ignore[invalid-argument-type]
