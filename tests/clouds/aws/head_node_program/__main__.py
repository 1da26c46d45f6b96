"""A head node in an existing network; the configuration of the stack selects the change."""

import pulumi

from hpc_components.aws import NodeIdentity, RootDisk, SlurmHeadNode, SlurmHeadNodeArgs, Tags
from hpc_components.aws.disks.component import StateDisk
from hpc_components.aws.ports import ConfigStore

config = pulumi.Config()
tags = Tags("cfd", {"Project": config.get("project") or "wing"})
head = SlurmHeadNode(
    "head",
    SlurmHeadNodeArgs(
        machine=config.get("machine") or "c6i.xlarge",
        image=config.get("image") or "resolve:ssm:/aws/service/image",
        user_data=config.get("user-data") or "#!/bin/bash\n",
        subnet_id="subnet-0123456789abcdef0",
        availability_zone="us-east-2b",
        private_ip="10.20.64.20",
        security_group_ids=("sg-0123456789abcdef0",),
        public=True,
        root=RootDisk(size_gib=64),
        state=StateDisk(size_gib=64),
        config=ConfigStore(bucket="cfd-config", arn="arn:aws:s3:::cfd-config"),
        identities=NodeIdentity("head", tags=tags).identities,
        fleets=(),
        tags=tags,
    ),
)
pulumi.export("volume", head.state_volume_id)
pulumi.export("address", head.public_ip)
