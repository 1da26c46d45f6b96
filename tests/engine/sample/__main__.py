"""A network, an instance, a file system and, if wanted, a function that clears elastic nodes away on destroy."""

import json

import pulumi
import pulumi_aws as aws

config = pulumi.Config()
tags = {"ClusterName": "sample"}

vpc = aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16", tags=tags)
subnet = aws.ec2.Subnet(
    "subnet",
    vpc_id=vpc.id,
    cidr_block=config.get("cidr") or "10.0.1.0/24",
    availability_zone_id="use1-az2",
    tags=tags,
)
group = aws.ec2.SecurityGroup("group", vpc_id=vpc.id, description="everything of the sample", tags=tags)
instance = aws.ec2.Instance(
    "instance",
    ami=config.get("ami") or "ami-00000000000000001",
    instance_type=config.get("machine") or "c7i.large",
    subnet_id=subnet.id,
    vpc_security_group_ids=[group.id],
    user_data=config.get_secret("token"),
    tags={**tags, "Name": "instance"},
)
file_system = aws.fsx.LustreFileSystem(
    "scratch",
    subnet_ids=subnet.id,
    security_group_ids=[group.id],
    deployment_type=config.get("deployment") or "SCRATCH_2",
    storage_capacity=config.get_int("capacity") or 1200,
    tags=tags,
    opts=pulumi.ResourceOptions(
        retain_on_delete=config.get_bool("retain"),
        ignore_changes=["tags"] if config.get_bool("ignore-tags") else None,
    ),
)

if config.get_bool("reaper"):
    trust = {"Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole", "Effect": "Allow"}
    role = aws.iam.Role("reaper", assume_role_policy=json.dumps({"Version": "2012-10-17", "Statement": [trust]}))
    grant = aws.iam.RolePolicyAttachment(
        "reaper", role=role.name, policy_arn="arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"
    )
    reaper = aws.lambda_.Function(
        "reaper",
        role=role.arn,
        runtime=aws.lambda_.Runtime.PYTHON3D13,
        handler="index.handler",
        code=pulumi.AssetArchive({"index.py": pulumi.StringAsset("def handler(event, context): ...")}),
        opts=pulumi.ResourceOptions(depends_on=[grant]),
    )
    aws.lambda_.Invocation(
        "reaper",
        function_name=reaper.name,
        input=json.dumps({"cluster": "sample"}),
        lifecycle_scope="CRUD",
        opts=pulumi.ResourceOptions(depends_on=[subnet, group, grant]),
    )

pulumi.export("subnet", subnet.id)
pulumi.export("mount", pulumi.Output.concat(file_system.dns_name, "@tcp:/", file_system.mount_name))
