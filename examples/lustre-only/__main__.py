"""A single Lustre file system, linked to a bucket, for nodes created elsewhere."""

import pulumi

from hpc_components.aws import LustreAssociation, LustreFilesystem, LustreFilesystemArgs, Tags

lustre = LustreFilesystem(
    "scratch",
    LustreFilesystemArgs(
        mount="/fsx",
        capacity_gib=2400,
        deployment="persistent_2",
        throughput=250,
        associations=(LustreAssociation(path="/datasets", bucket="s3://our-datasets", auto_export=()),),
        subnet_id="subnet-0123456789abcdef0",
        security_group_ids=("sg-0123456789abcdef2",),
        tags=Tags("cfd"),
    ),
)

pulumi.export(
    "mount", pulumi.Output.concat("mount -t lustre ", lustre.dns_name, "@tcp:/", lustre.mount_name, " /fsx")
)
