"""Conversion of files of different kinds, section by section."""

from typing import Any

import pytest

from clouds.aws.convert.converting import SMALL, conversion, judged, note, notes, of_file
from hpc_components.convert.notes import Outcome, of_outcome

SPOT = of_file("spot")
GPU = of_file("gpu")
QUEUES = {queue["name"]: queue for found in (SPOT, GPU) for queue in found.cluster["queues"]}


def small(old: str, new: str) -> Any:
    assert old in SMALL
    return conversion(SMALL.replace(old, new))


def test_rules_find_no_error_in_a_converted_cluster() -> None:
    judgement = judged(SPOT)
    assert judgement.errors == ()
    assert judgement.cluster is not None


def test_gpu_queues_beside_lustre_are_left_with_their_image_to_name() -> None:
    """ParallelCluster's image contains a Lustre client, and AWS's newest image for GPUs does not."""
    judgement = judged(GPU)
    assert {error.id for error in judgement.errors} == {"HPC-OSI-009"}
    assert "specify an image with a supported kernel (image: ami-...)" in judgement.errors[0].remedy


def test_a_file_may_leave_nothing_to_decide() -> None:
    found = conversion(SMALL)
    assert of_outcome(found.notes, Outcome.DECIDE) == []
    assert judged(found).errors == ()


def test_each_compute_resource_is_a_queue() -> None:
    assert QUEUES["spot"] == {
        "name": "spot", "machine": "c7i.8xlarge", "fallback": ["m7i.8xlarge"], "max": 20, "purchase": "spot",
        "max_spot_price": 1.1, "slurm": {"OverSubscribe": "EXCLUSIVE", "MaxTime": "2-0"},
    }  # fmt: skip
    assert QUEUES["spot-large"]["machine"] == "r7i.16xlarge"
    assert QUEUES["spot-large"]["memory"] == "480000MiB"
    told = note(SPOT, "Scheduling.SlurmQueues[0].ComputeResources[1].Name")
    assert told.outcome is Outcome.DECIDE
    assert "--partition=spot,spot-large" in told.remedy


def test_machines_bought_ahead_keep_their_reservation() -> None:
    assert QUEUES["train"]["purchase"] == {"capacity_block": "cr-0123456789abcdef0"}
    found = small("- Name: cpu", "- Name: cpu\n      CapacityReservationTarget: {CapacityReservationId: cr-1}")
    assert found.cluster["queues"][0]["purchase"] == {"reservation": "cr-1"}


def test_efa_is_off_where_the_file_does_not_switch_it_on() -> None:
    assert "fabric" not in QUEUES["train"]
    assert QUEUES["cpu"]["fabric"] is False


def test_efa_of_a_machine_without_it_is_corrected() -> None:
    found = note(GPU, "Scheduling.SlurmQueues[1].ComputeResources[1].Efa.Enabled")
    assert (found.outcome, found.reason) == (Outcome.CORRECTED, "c7i.large does not support EFA")


def test_a_machine_that_the_zone_lacks_gets_zones() -> None:
    """In eu-north-1, hpc6a is sold in one zone, and p5en in the other two."""
    two = "hpc6a.48xlarge, MaxCount: 2}\n        - {Name: two, InstanceType: p5en.48xlarge, MaxCount: 2}"
    found = conversion(SMALL.replace("c7i.large, MaxCount: 2}", two).replace("us-east-2", "eu-north-1"))
    assert found.cluster["zone"] == "eun1-az2"
    first, second = found.cluster["queues"]
    assert "zones" not in first
    assert second["zones"] == ["eun1-az1", "eun1-az3"]
    told = notes(found, "Scheduling.SlurmQueues[0].ComputeResources[1].InstanceType")
    assert "queues[1].zones: [eun1-az1, eun1-az3]" in [each.made for each in told]


def test_the_head_node_keeps_machine_key_and_ssh_ranges() -> None:
    assert SPOT.cluster["head_node"] == {
        "machine": "t3.large", "public": True, "root": {"size": "100GiB"}, "key_pair": "lab"
    }  # fmt: skip
    assert SPOT.cluster["network"]["ssh_from"] == ["198.51.100.0/24"]
    assert "public" not in GPU.cluster["head_node"]


def test_existing_subnets_are_a_decision_with_the_command_that_shows_them() -> None:
    told = note(SPOT, "HeadNode.Networking.SubnetId")
    assert told.outcome is Outcome.DECIDE
    assert "--subnet-ids subnet-0a1b2c3d4e5f60718 subnet-0fedcba9876543210" in told.remedy


def test_a_prefix_list_is_a_decision() -> None:
    found = small("HeadNode:", "HeadNode:\n  Ssh: {AllowedIps: pl-0123456789abcdef0}")
    assert note(found, "HeadNode.Ssh.AllowedIps").outcome is Outcome.DECIDE
    assert "ssh_from" not in found.cluster["network"]


def test_login_nodes_are_those_of_the_first_pool() -> None:
    assert GPU.cluster["login_nodes"] == {"machine": "m7i.xlarge", "min": 2, "max": 2}
    assert note(GPU, "LoginNodes.Pools[1].InstanceType").outcome is Outcome.DECIDE


def test_shared_volumes_become_a_file_system_of_a_size_that_is_sold() -> None:
    assert SPOT.cluster["storage"]["shared-data"] == {"type": "nfs", "mount": "/shared", "size": "64GiB"}
    assert note(SPOT, "SharedStorage[0].EbsSettings.Size").outcome is Outcome.CORRECTED


def test_raid_of_volumes_is_as_large_as_they_are_together() -> None:
    found = conversion(
        SMALL + "SharedStorage:\n  - {Name: r, MountDir: /r, StorageType: Ebs, EbsSettings: "
        "{Size: 100, Raid: {Type: 0, NumberOfVolumes: 3}}}\n"
    )
    assert found.cluster["storage"]["r"]["size"] == "300GiB"


def test_existing_file_systems_are_mounted_where_the_file_says_enough() -> None:
    assert SPOT.cluster["storage"]["homes"] == {
        "type": "nfs", "mount": "/home",
        "existing": {"server": "fs-0123456789abcdef0.efs.eu-west-1.amazonaws.com", "export": "/"},
    }  # fmt: skip
    assert "scratch" not in GPU.cluster["storage"]
    told = note(GPU, "SharedStorage[0].FsxLustreSettings.FileSystemId")
    assert "existing: {id: fs-0123456789abcdef0, dns_name: fs-0123456789abcdef0.fsx.us-east-2" in told.remedy


@pytest.mark.parametrize("old", ["gp2", "standard"])
def test_iops_of_an_old_volume_type_are_left_out(old: str) -> None:
    root = f"LocalStorage: {{RootVolume: {{Size: 100, VolumeType: {old}, Iops: 300}}}}"
    found = small("  InstanceType: m7i.large\n", f"  InstanceType: m7i.large\n  {root}\n")
    assert found.cluster["head_node"]["root"] == {"size": "100GiB"}
    assert note(found, "HeadNode.LocalStorage.RootVolume.Iops").outcome is Outcome.DROPPED
    assert judged(found).errors == ()


def test_queues_at_the_top_level_are_moved_below_scheduling() -> None:
    text = SMALL.replace(
        "Scheduling:\n  Scheduler: slurm\n  SlurmQueues:", "Scheduling: {Scheduler: slurm}\nSlurmQueues:"
    )
    found = conversion(text)
    assert [queue["name"] for queue in found.cluster["queues"]] == ["cpu"]
    moved = note(found, "SlurmQueues[0].Name")
    assert moved.outcome is Outcome.CORRECTED
    assert "the correct key is Scheduling.SlurmQueues" in moved.reason


def test_homes_on_the_head_nodes_disk_become_a_file_system() -> None:
    assert GPU.cluster["storage"]["home"] == {"type": "efs", "mount": "/home"}
    assert "home" not in SPOT.cluster["storage"]


def test_lustre_associations_become_those_of_the_description() -> None:
    assert GPU.cluster["storage"]["results"] == {
        "type": "lustre", "mount": "/results", "size": "2400GiB", "deployment": "persistent_2", "throughput": 250,
        "associations": [
            {"path": "/sets", "bucket": "s3://lab-sets", "auto_import": ["new", "changed"], "auto_export": []}
        ],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("target", "back", "outcome"),
    [("s3://b/in", ["new", "changed"], Outcome.TAKEN), ("s3://b/out", [], Outcome.DECIDE)],
)
def test_files_go_back_to_where_they_came_from(target: str, back: list[str], outcome: Outcome) -> None:
    found = conversion(
        SMALL + "SharedStorage:\n  - {Name: l, MountDir: /l, StorageType: FsxLustre, FsxLustreSettings: "
        f'{{StorageCapacity: 1200, ImportPath: "s3://b/in", ExportPath: "{target}"}}}}\n'
    )
    (link,) = found.cluster["storage"]["l"]["associations"]
    assert link["auto_export"] == back
    assert note(found, "SharedStorage[0].FsxLustreSettings.ExportPath").outcome is outcome


def test_slurm_keeps_its_times_settings_and_database() -> None:
    assert SPOT.cluster["slurm"] == {"idle_time": "5m", "settings": {"PriorityWeightAge": 500}}
    assert GPU.cluster["slurm"] == {
        "boot_time": "25m",
        "accounting": {
            "database": {
                "host": "accounts.example.org", "port": 3307, "user": "pcluster",
                "password_secret": "arn:aws:secretsmanager:us-east-2:123456789012:secret:db-AbCdEf",
            }
        },
    }  # fmt: skip


def test_settings_that_are_ours_are_dropped_with_the_key_to_use() -> None:
    told = note(SPOT, "Scheduling.SlurmSettings.CustomSlurmSettings[0].SuspendTime")
    assert (told.outcome, told.remedy) == (Outcome.DROPPED, "set slurm.idle_time, or a queue's idle_time")
    assert note(SPOT, "Scheduling.SlurmSettings.CustomSlurmSettings[1].CPUs").outcome is Outcome.DROPPED


def test_log_that_slurm_can_not_write_on_the_head_node_is_moved() -> None:
    settings = (
        "  SlurmSettings:\n    CustomSlurmSettings: [{JobCompType: jobcomp/filetxt, JobCompLoc: /home/slurm/jobs}]"
    )
    found = conversion(SMALL.replace("  Scheduler: slurm", f"  Scheduler: slurm\n{settings}"))
    moved = {"JobCompType": "jobcomp/filetxt", "JobCompLoc": "/var/log/slurm/jobcomp.log"}
    assert found.cluster["slurm"]["settings"] == moved
    told = note(found, "Scheduling.SlurmSettings.CustomSlurmSettings[0].JobCompLoc")
    assert told.outcome is Outcome.CORRECTED
    assert not [finding.id for finding in judged(found).errors]


def test_tags_logs_and_roles_are_kept() -> None:
    assert SPOT.cluster["tags"] == {"Project": "on"}
    assert SPOT.cluster["log_retention"] == "14d"
    assert GPU.cluster["iam"] == {
        "permissions_boundary": "arn:aws:iam::123456789012:policy/bounds", "role_path": "/research/"
    }  # fmt: skip


@pytest.mark.parametrize(
    "system", ["alinux2", "alinux2023", "centos7", "rhel8", "rocky9", "ubuntu2004", "ubuntu2204"]
)
def test_other_systems_are_corrected_with_the_reason(system: str) -> None:
    found = small("ubuntu2404", system)
    told = note(found, "Image.Os")
    assert (told.outcome, told.made) == (Outcome.CORRECTED, "os: ubuntu-24.04")
    assert told.reason


def test_a_misspelt_region_or_system_is_a_decision() -> None:
    assert "did you mean us-east-2?" in note(small("us-east-2", "us-eats-2"), "Region").reason
    assert "did you mean ubuntu2404?" in note(small("ubuntu2404", "ubuntu2440"), "Image.Os").reason


def test_a_region_is_found_where_the_file_names_none() -> None:
    found = small("Region: us-east-2\n", "")
    assert note(found, "Region").outcome is Outcome.DECIDE
    assert judged(found).errors == ()


def test_a_machine_that_no_region_sells_leaves_the_region() -> None:
    found = small("c7i.large", "c7i.larg")
    assert found.cluster["region"] == "us-east-2"
    assert [error.id for error in judged(found).errors] == ["HPC-MCH-004"]


def test_words_of_yaml_1_1_are_booleans() -> None:
    (first, *_) = notes(SPOT, "Scheduling.SlurmQueues[0].JobExclusiveAllocation")
    assert first.made == "queues[0].slurm.OverSubscribe: EXCLUSIVE"
