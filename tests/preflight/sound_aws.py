"""An account that has everything that a description names, and the description."""

import json
from typing import Any

import boto3

from .aws_account import REGION, AwsDouble

LIMIT = 10_000_000.0
RESERVATION = "cr-0123456789abcdef0"
FILE_SYSTEM = "fs-0123456789abcdef0"


def sound_account(aws: AwsDouble) -> str:
    """Create everything in moto, and return the description that names it."""
    ec2 = boto3.client("ec2", REGION)
    vpc = ec2.create_vpc(CidrBlock="10.20.0.0/16")["Vpc"]["VpcId"]
    subnets = [
        ec2.create_subnet(VpcId=vpc, CidrBlock=cidr, AvailabilityZoneId="use2-az2")["Subnet"]["SubnetId"]
        for cidr in ("10.20.0.0/20", "10.20.16.0/24")
    ]
    group = ec2.create_security_group(GroupName="login", Description="login", VpcId=vpc)["GroupId"]
    image = ec2.register_image(Name="hpc-node", Architecture="x86_64", RootDeviceName="/dev/sda1")["ImageId"]
    public = ec2.register_image(Name="public", Architecture="x86_64", RootDeviceName="/dev/sda1")["ImageId"]
    ec2.create_key_pair(KeyName="admins")
    where = {"LocationConstraint": REGION}
    boto3.client("s3", REGION).create_bucket(Bucket="my-hpc-data", CreateBucketConfiguration=where)
    secret = boto3.client("secretsmanager", REGION).create_secret(Name="slurm-db", SecretString="x")["ARN"]
    key = boto3.client("kms", REGION).create_key()["KeyMetadata"]["Arn"]
    iam = boto3.client("iam", REGION)
    trust = json.dumps({"Version": "2012-10-17", "Statement": []})
    iam.create_role(RoleName="head", AssumeRolePolicyDocument=trust)
    iam.create_instance_profile(InstanceProfileName="head")
    iam.add_role_to_instance_profile(InstanceProfileName="head", RoleName="head")
    _answers(aws, vpc, public)
    return _DESCRIPTION.format(
        vpc=vpc, private=subnets[0], public=subnets[1], group=group, image=image, secret=secret, key=key
    )


def _answers(aws: AwsDouble, vpc: str, public: str) -> None:
    """Answer what moto can't."""
    aws.answer("service-quotas:GetServiceQuota", lambda asked: {"Quota": {"Value": LIMIT, **asked}})
    aws.answer("ssm:GetParameter", lambda asked: {"Parameter": {"Name": asked["Name"], "Value": public}})
    aws.answer("ec2:DescribeCapacityReservations", lambda asked: {"CapacityReservations": [reserved()]})
    aws.answer("fsx:DescribeFileSystems", lambda asked: {"FileSystems": [_file_system(vpc)]})
    aws.answer("iam:SimulatePrincipalPolicy", lambda asked: simulated(asked["ActionNames"]))


def reserved(**told: Any) -> dict[str, Any]:
    plain = {
        "CapacityReservationId": RESERVATION, "State": "active", "InstanceType": "c7i.48xlarge",
        "AvailabilityZoneId": "use2-az2", "TotalInstanceCount": 4,
    }  # fmt: skip
    return plain | told


def _file_system(vpc: str) -> dict[str, Any]:
    return {
        "FileSystemId": FILE_SYSTEM, "FileSystemType": "LUSTRE", "Lifecycle": "AVAILABLE", "VpcId": vpc,
        "DNSName": f"{FILE_SYSTEM}.fsx.{REGION}.amazonaws.com", "LustreConfiguration": {"MountName": "abcdefgh"},
    }  # fmt: skip


def _decision(word: str) -> dict[str, Any]:
    """Return a decision of IAM; the word `organization` stands for that of a service control policy."""
    if word != "organization":
        return {"EvalDecision": word}
    return {"EvalDecision": "explicitDeny", "OrganizationsDecisionDetail": {"AllowedByOrganizations": False}}


def simulated(names: list[str], **decisions: str) -> dict[str, Any]:
    """Return IAM's decisions: `allowed`, or what `decisions` has for an action, with `_` for its colon."""
    return {
        "EvaluationResults": [
            {"EvalActionName": name, **_decision(decisions.get(name.replace(":", "_"), "allowed"))} for name in names
        ],
        "IsTruncated": False,
    }


_DESCRIPTION = """\
config:
  hpc:cluster:
    cloud: aws
    name: cfd
    region: us-east-2
    zone: use2-az2
    network:
      ssh_from: [203.0.113.0/24]
      existing:
        vpc: {vpc}
        cidr: 10.20.0.0/16
        private:
          use2-az2: {{id: {private}, cidr: 10.20.0.0/20}}
        public:
          use2-az2: {{id: {public}, cidr: 10.20.16.0/24}}
        security_groups: {{head: [{group}], login: [{group}], compute: [{group}], storage: [{group}]}}
    head_node: {{machine: c6i.xlarge, public: true, key_pair: admins, instance_profile: head}}
    storage:
      scratch: {{type: lustre, mount: /fsx, size: 1.2TiB, import_from: "s3://my-hpc-data/input"}}
      shared:
        type: lustre
        mount: /shared
        existing:
          id: fs-0123456789abcdef0
          dns_name: fs-0123456789abcdef0.fsx.us-east-2.amazonaws.com
          mount_name: abcdefgh
      home: {{type: nfs, mount: /home, size: 1TiB, kms_key: "{key}"}}
    buckets:
      results: {{type: s3, name: cfd-results-of-the-institute}}
    queues:
      - {{name: mpi, machine: hpc6a.48xlarge, max: 16}}
      - {{name: own, machine: c7i.48xlarge, max: 4, image: {image}, purchase: {{reservation: cr-0123456789abcdef0}}}}
    slurm:
      accounting:
        database: {{host: db.example.org, password_secret: "{secret}"}}
    budget: {{monthly: 20000, notify: [hpc-admins@example.org]}}
"""
