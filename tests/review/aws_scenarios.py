"""Pull requests on the stacks on AWS."""

from hpc_components.review.effects import Effect
from tests.review.scenario import CREATE, DELETE, FORGET, REPLACE, UPDATE, Scenario

__all__ = ["AWS"]

SPOT = "      - {name: spot, machine: c7i.48xlarge, max: 8"
POST = "      - {name: post, machine: c7i.8xlarge, max: 2, fabric: false, placement: none}\n"

AWS = (
    Scenario(
        name="aws_queue_added",
        stack="aws-cfd",
        after=((SPOT, POST + SPOT),),
        worst=Effect.ACCESS,
        meets=(
            (CREATE, Effect.LIVE, "LaunchTemplate", "cfd-post-c7i.8xlarge-use2-az2"),
            (UPDATE, Effect.SLURMCTLD_RESTARTS, "BucketObjectv2", "slurm/slurm.conf"),
        ),
        described=("queues[1]",),
        new=("HPC-QTA-001",),
    ),
    Scenario(
        name="aws_maximum_lowered",
        stack="aws-cfd",
        after=(("machine: hpc6a.48xlarge, max: 16", "machine: hpc6a.48xlarge, max: 8"),),
        worst=Effect.SLURMCTLD_RESTARTS,
        meets=((UPDATE, Effect.SLURMCTLD_RESTARTS, "BucketObjectv2", "slurm/slurm.conf"),),
        described=("queues[0].max",),
    ),
    Scenario(
        name="aws_queue_machine",
        stack="aws-cfd",
        after=(("machine: c7i.48xlarge", "machine: c6i.32xlarge"),),
        worst=Effect.SLURMCTLD_RESTARTS,
        meets=(
            (CREATE, Effect.LIVE, "LaunchTemplate", "cfd-spot-c6i.32xlarge-use2-az2"),
            (DELETE, Effect.NEW_NODES, "LaunchTemplate", "cfd-spot-c7i.48xlarge-use2-az2"),
            (UPDATE, Effect.SLURMCTLD_RESTARTS, "BucketObjectv2", "slurm/slurm.conf"),
        ),
        described=("queues[1].machine",),
    ),
    Scenario(
        name="aws_head_machine",
        stack="aws-cfd",
        after=(("machine: c6i.xlarge", "machine: c6i.2xlarge"),),
        worst=Effect.HEAD_RESTARTS,
        meets=((UPDATE, Effect.HEAD_RESTARTS, "Instance", "cfd-head"),),
        described=("head_node.machine",),
        new=("HPC-QTA-001",),
    ),
    Scenario(
        name="aws_lustre_grown",
        stack="aws-ultracluster",
        after=(("size: 4800GiB", "size: 9600GiB"),),
        worst=Effect.FILES_AWAY,
        meets=((UPDATE, Effect.FILES_AWAY, "LustreFileSystem", "ultracluster-scratch"),),
        described=("storage.scratch.size",),
    ),
    Scenario(
        name="aws_ssh_range_added",
        stack="aws-cfd",
        after=(("ssh_from: [203.0.113.0/24]", "ssh_from: [203.0.113.0/24, 198.51.100.0/24]"),),
        worst=Effect.ACCESS,
        meets=((CREATE, Effect.ACCESS, "SecurityGroupIngressRule", "cfd-head-from-198.51.100.0-24-22"),),
        described=("network.ssh_from",),
    ),
    Scenario(
        name="aws_cidr",
        stack="aws-cfd",
        after=(("cidr: 10.20.0.0/16", "cidr: 10.30.0.0/16"),),
        worst=Effect.DATA_LOST,
        meets=(
            (REPLACE, Effect.DATA_LOST, "LustreFileSystem", "cfd-scratch"),
            (REPLACE, Effect.DATA_LOST, "OpenZfsFileSystem", "cfd-home"),
            (REPLACE, Effect.HEAD_REPLACED, "Instance", "cfd-head"),
        ),
        described=("network.cidr",),
    ),
    Scenario(
        name="aws_provider_upgraded",
        stack="aws-dev",
        provider="7.52.0",
        worst=Effect.UNKNOWN,
        meets=((UPDATE, Effect.UNKNOWN, "aws", "aws"),),
    ),
    Scenario(
        name="aws_script_changed",
        stack="aws-dev",
        files_before={"compute/site.sh": "#!/bin/bash\nset -eu\nmodprobe nfsd\n"},
        files_after={"compute/site.sh": "#!/bin/bash\nset -eu\nmodprobe nfsd\nsysctl -w vm.swappiness=1\n"},
        worst=Effect.NEW_NODES,
        meets=((UPDATE, Effect.NEW_NODES, "BucketObjectv2", "compute/site.sh"),),
    ),
    Scenario(
        name="aws_bucket_archived_later",
        stack="aws-ultracluster",
        after=(("deep_archive: 180d", "deep_archive: 365d"),),
        worst=Effect.LIVE,
        meets=((UPDATE, Effect.LIVE, "BucketLifecycleConfiguration", "ultracluster-archive-lifecycle"),),
        described=("buckets.archive.archive.deep_archive",),
    ),
    Scenario(
        name="aws_comment_only",
        stack="aws-cfd",
        after=(
            ("    queues:\n", "    queues:                   # one for jobs of many nodes, one for what can wait\n"),
        ),
    ),
    Scenario(
        name="aws_stack_gone",
        stack="aws-cfd",
        after=None,
        worst=Effect.DATA_LOST,
        meets=(
            (FORGET, Effect.FILES_AWAY, "LustreFileSystem", "cfd-scratch"),
            (DELETE, Effect.DATA_LOST, "LogGroup", "cfd-head-logs"),
            (DELETE, Effect.NODES_END, "Instance", "cfd-head"),
        ),
    ),
)
