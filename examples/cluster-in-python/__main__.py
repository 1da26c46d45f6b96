"""A whole cluster, described in Python instead of YAML, with a server of your own in its network."""

import pulumi
import pulumi_aws as aws

from hpc_components.aws import Cluster

DEPARTMENTS = {"physics": 16, "chemistry": 8}
ZONE = "use2-az2"

campus = Cluster(
    "campus",
    {
        "region": "us-east-2",
        "zone": ZONE,
        "network": {"cidr": "10.30.0.0/16"},
        "head_node": {"machine": "m7i.large"},
        "storage": {"home": {"type": "efs", "mount": "/home"}},
        "queues": [
            {"name": department, "machine": "hpc6a.48xlarge", "max": nodes}
            for department, nodes in DEPARTMENTS.items()
        ],
    },
)

# The server gives licenses to jobs: it is in the cluster's network, and in the group that compute nodes can reach.
licenses = aws.ec2.Instance(
    "licenses",
    ami="resolve:ssm:/aws/service/canonical/ubuntu/server/24.04/stable/current/amd64/hvm/ebs-gp3/ami-id",
    instance_type="t3.small",
    subnet_id=campus.network.private_subnets[ZONE],
    vpc_security_group_ids=list(campus.network.security_groups.compute),
    metadata_options=aws.ec2.InstanceMetadataOptionsArgs(http_tokens="required"),
    root_block_device=aws.ec2.InstanceRootBlockDeviceArgs(encrypted=True),
    tags={"Name": "licenses"},
    opts=pulumi.ResourceOptions(provider=campus.provider),
)

for name, value in campus.outputs.items():
    pulumi.export(name, value)
pulumi.export("licenses", licenses.private_ip)
