"""A published configuration with five mistakes of real files: each is reported with its line."""

import pytest

from clouds.aws.convert.converting import FILES, judged, note, notes, of_file
from hpc_components.convert.notes import Outcome, of_outcome

FOUND = of_file("published")
LINES = (FILES / "published.yaml").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    ("key", "text", "reason", "made"),
    [
        (
            "Region", "us-east-1", "does not offer hpc6a.48xlarge; regions that do: ap-southeast-1",
            "region: us-east-2, zone: use2-az2",
        ),
        ("Image.Os", "alinux2", "Amazon Linux 2 is at its end of life", "os: ubuntu-24.04"),
        (
            "Scheduling.SlurmQueues[0].ComputeNetwork.Efa.Enabled", "Enabled: true",
            "has no key ComputeNetwork.Efa in this place; the correct key is ComputeResources[].Efa",
            "queues[0].fabric: true",
        ),
        (
            "SharedStorage[0].FsxLustreSettings.DataRepositoryConfiguration.ImportPath", "ImportPath:",
            "has no key DataRepositoryConfiguration.ImportPath in this place; the correct key is ImportPath",
            "storage.fsx.associations[0].bucket: s3://my-hpc-data-bucket",
        ),
        (
            "SharedStorage[0].FsxLustreSettings.AutoImport", "AutoImport: true",
            "the correct key is AutoImportPolicy, with the value NEW_CHANGED",
            "storage.fsx.associations[0].auto_import: [new, changed]",
        ),
    ],
)  # fmt: skip
def test_a_fault_is_corrected_and_named_with_its_line(key: str, text: str, reason: str, made: str) -> None:
    found = next(each for each in notes(FOUND, key) if each.outcome is Outcome.CORRECTED)
    assert text in LINES[found.line - 1]
    assert reason in found.reason
    assert found.made == made


def test_the_placement_group_is_taken_from_under_the_queues_networking() -> None:
    found = note(FOUND, "Scheduling.SlurmQueues[0].Networking.PlacementGroup.Enabled")
    assert LINES[found.line - 2].strip() == "PlacementGroup:"
    assert "expects this setting under the queue's Networking" in found.reason
    assert found.made == "queues[0].placement: cluster"


def test_the_cluster_is_the_one_that_was_meant() -> None:
    (queue,) = FOUND.cluster["queues"]
    assert queue == {"name": "compute-queue", "machine": "hpc6a.48xlarge", "max": 16, "placement": "cluster"}
    assert FOUND.settings == {"aws:region": "us-east-2"}
    assert FOUND.cluster["head_node"] == {"machine": "c6i.xlarge", "public": True, "key_pair": "my-key"}
    assert FOUND.cluster["storage"]["fsx"] == {
        "type": "lustre", "mount": "/fsx", "size": "1200GiB", "deployment": "scratch_2",
        "associations": [
            {"path": "/", "bucket": "s3://my-hpc-data-bucket", "auto_import": ["new", "changed"], "auto_export": []}
        ],
    }  # fmt: skip
    assert FOUND.cluster["slurm"] == {"idle_time": "10m"}


def test_the_rules_find_no_error() -> None:
    judgement = judged(FOUND)
    assert judgement.errors == ()
    assert judgement.cluster is not None


def test_what_the_file_can_not_say_is_to_be_decided() -> None:
    assert [each.key for each in of_outcome(FOUND.notes, Outcome.DECIDE)] == [
        "HeadNode.Ssh.AllowedIps",
        "SharedStorage[0].FsxLustreSettings.DataRepositoryConfiguration.ImportPath",
    ]
