"""What is left of homes when a server fails or a file is deleted, on three clouds."""

from typing import Any

import pytest

from hpc_components.spec.findings import Level
from hpc_components.spec.source import Document
from hpc_components.spec.validate import judge

AWS = {"cloud": "aws", "region": "us-east-2", "zone": "use2-az2"}
AZURE = {"cloud": "azure", "region": "eastus", "zone": "eastus-1"}
GOOGLE = {"cloud": "gcp", "project": "my-hpc-project", "region": "us-central1", "zone": "us-central1-a"}
MACHINES = {"aws": "c7i.4xlarge", "azure": "Standard_D16s_v5", "gcp": "c2-standard-60"}
LINK = {"bucket": "https://acc.blob.core.windows.net/data", "log_bucket": "https://acc.blob.core.windows.net/log"}
PERSISTENT = {"type": "lustre", "size": "1.2TiB", "deployment": "persistent_2", "throughput": 125}


def found(cloud: dict[str, str], home: dict[str, Any], **more: Any) -> list[tuple[str, Level]]:
    machine = MACHINES[cloud["cloud"]]
    described = {
        **cloud,
        "name": "cfd",
        "network": {"cidr": "10.20.0.0/16"},
        "head_node": {"machine": machine},
        "storage": {"home": {"mount": "/home", **home}},
        "queues": [{"name": "cpu", "machine": machine, "max": 2}],
    }
    findings = judge(Document("f.yaml", described | more)).findings
    return [(finding.id, finding.level) for finding in findings if finding.id.startswith("HPC-DUR")]


@pytest.mark.parametrize(
    ("cloud", "home", "expected"),
    [
        (AWS, {"type": "lustre", "size": "1.2TiB"}, [("HPC-DUR-001", Level.WARNING)]),
        (AWS, PERSISTENT, [("HPC-DUR-002", Level.WARNING)]),
        (AWS, PERSISTENT | {"backups": "7d"}, []),
        (AWS, PERSISTENT | {"import_from": "s3://bucket"}, []),
        (AWS, {"type": "nfs", "size": "1TiB", "backups": None}, [("HPC-DUR-002", Level.WARNING)]),
        (AWS, {"type": "nfs", "size": "1TiB"}, []),
        (AWS, {"type": "efs"}, [("HPC-DUR-002", Level.INFO)]),
        (AZURE, {"type": "lustre", "size": "8TiB"}, [("HPC-DUR-002", Level.WARNING)]),
        (AZURE, {"type": "lustre", "size": "8TiB", "link": LINK}, []),
        (
            AZURE,
            {"type": "nfs", "service": "netapp", "size": "2TiB", "snapshots": None},
            [("HPC-DUR-002", Level.WARNING)],
        ),
        (AZURE, {"type": "nfs", "service": "netapp", "size": "2TiB"}, []),
        (GOOGLE, {"type": "lustre", "size": "9000GiB"}, [("HPC-DUR-002", Level.WARNING)]),
        (GOOGLE, {"type": "lustre", "size": "9000GiB", "export_to": "gs://bucket"}, []),
        (GOOGLE, {"type": "nfs", "size": "1TiB"}, [("HPC-DUR-002", Level.INFO)]),
    ],
)
def test_homes_that_can_not_bring_files_back_are_found(
    cloud: dict[str, str], home: dict[str, Any], expected: list[tuple[str, Level]]
) -> None:
    assert found(cloud, home) == expected
    assert found(cloud, home, throw_away=True) == []
    assert found(cloud, {**home, "mount": "/scratch"}) == []
