from typing import Any

import pytest

from hpc_components.gcp.data_bucket.plan import READER
from hpc_components.gcp.plan.types import BUCKET


def faults(**inputs: Any) -> list[tuple[str, str]]:
    checks = READER.inputs().relations[BUCKET]
    return [(fault.path, fault.remedy) for check in checks for fault in check(inputs)]


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"versioning": {"enabled": True}}, []),
        ({"versioning": {"enabled": False}, "hierarchicalNamespace": {"enabled": True}}, []),
        (
            {"versioning": {"enabled": True}, "hierarchicalNamespace": {"enabled": True}},
            [("versioning.enabled", "use false; or remove hierarchicalNamespace")],
        ),
    ],
)
def test_bucket_with_folders_and_versions_is_refused(inputs: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert faults(**inputs) == expected
