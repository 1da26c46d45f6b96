"""The resources of a cluster on AWS as they should be, and faults to put into them."""

import base64
import copy
import json

import pulumi_aws

_TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}],
}
_POLICY = {
    "Version": "2012-10-17",
    "Statement": [
        {"Sid": "Launch", "Effect": "Allow", "Action": ["ec2:RunInstances"], "Resource": "*"},
        {
            "Effect": "Deny",
            "Action": "ec2:*",
            "NotResource": "arn:aws:ec2:*:*:instance/*",
            "Condition": {"StringEquals": {"aws:ResourceTag/ClusterName": "cfd"}},
        },
    ],
}


def policy(**changes):
    """The policy with its first statement changed."""
    document = copy.deepcopy(_POLICY)
    document["Statement"][0] = {
        key: value for key, value in {**document["Statement"][0], **changes}.items() if value is not None
    }
    return json.dumps(document)


def user_data(size=20):
    return base64.b64encode(b"#!/bin/sh".ljust(size)).decode()


# Name -> class in the SDK, looked up while recording (importing it warns of deprecated siblings), and arguments.
RESOURCES = {
    "vpc": (
        "ec2.Vpc",
        {
            "cidr_block": "10.20.0.0/16",
            "enable_dns_hostnames": True,
            "instance_tenancy": "default",
            "tags": {"ClusterName": "cfd"},
        },
    ),
    "subnet": (
        "ec2.Subnet",
        {"vpc_id": "vpc-1", "cidr_block": "10.20.0.0/20", "availability_zone_id": "use2-az2"},
    ),
    "local-zone-subnet": (
        "ec2.Subnet",
        {"vpc_id": "vpc-1", "cidr_block": "10.20.16.0/20", "availability_zone": "us-west-2-lax-1a"},
    ),
    "route": (
        "ec2.Route",
        {"route_table_id": "rtb-1", "destination_cidr_block": "0.0.0.0/0", "gateway_id": "igw-1"},
    ),
    "nat": ("ec2.NatGateway", {"subnet_id": "subnet-1", "connectivity_type": "public", "allocation_id": "eip-1"}),
    "eip": ("ec2.Eip", {"domain": "vpc"}),
    "endpoint": (
        "ec2.VpcEndpoint",
        {
            "vpc_id": "vpc-1",
            "service_name": "com.amazonaws.us-east-2.s3",
            "vpc_endpoint_type": "Gateway",
            "policy": policy(Principal="*"),
        },
    ),
    "flow-log": (
        "ec2.FlowLog",
        {
            "vpc_id": "vpc-1",
            "traffic_type": "REJECT",
            "log_destination_type": "cloud-watch-logs",
            "iam_role_arn": "arn:aws:iam::123456789012:role/flow",
        },
    ),
    "group": (
        "ec2.SecurityGroup",
        {
            "vpc_id": "vpc-1",
            "description": "head node",
            "ingress": [{"protocol": "tcp", "from_port": 22, "to_port": 22, "cidr_blocks": ["203.0.113.0/24"]}],
            "egress": [{"protocol": "-1", "from_port": 0, "to_port": 0, "cidr_blocks": ["0.0.0.0/0"]}],
        },
    ),
    "rule": (
        "vpc.SecurityGroupIngressRule",
        {
            "security_group_id": "sg-1",
            "ip_protocol": "tcp",
            "from_port": 6817,
            "to_port": 6819,
            "cidr_ipv4": "10.20.0.0/16",
        },
    ),
    "old-rule": (
        "ec2.SecurityGroupRule",
        {
            "security_group_id": "sg-1",
            "type": "ingress",
            "protocol": "icmp",
            "from_port": 8,
            "to_port": 0,
            "self": True,
        },
    ),
    "template": (
        "ec2.LaunchTemplate",
        {
            "image_id": "ami-0123456789abcdef0",
            "instance_type": "hpc6a.48xlarge",
            "user_data": user_data(),
            "cpu_options": {"core_count": 96, "threads_per_core": 1},
            "metadata_options": {
                "http_tokens": "required",
                "http_endpoint": "enabled",
                "http_put_response_hop_limit": 1,
                "instance_metadata_tags": "enabled",
            },
            "placement": {"group_name": "pg", "tenancy": "default"},
            "instance_market_options": {
                "market_type": "spot",
                "spot_options": {"instance_interruption_behavior": "terminate", "spot_instance_type": "one-time"},
            },
            "capacity_reservation_specification": {"capacity_reservation_preference": "open"},
            "block_device_mappings": [
                {
                    "device_name": "/dev/sda1",
                    "ebs": {
                        "volume_size": 60,
                        "volume_type": "gp3",
                        "iops": 3000,
                        "throughput": 125,
                        "encrypted": "true",
                    },
                }
            ],
            "network_interfaces": [
                {
                    "device_index": 0,
                    "network_card_index": 0,
                    "interface_type": "efa",
                    "subnet_id": "<unknown>",
                    "security_groups": ["sg-1"],
                    "delete_on_termination": "true",
                }
            ],
            "tag_specifications": [{"resource_type": "instance", "tags": {"Name": "cfd"}}],
        },
    ),
    "instance": (
        "ec2.Instance",
        {
            "ami": "ami-0123456789abcdef0",
            "instance_type": "c6i.xlarge",
            "private_ip": "10.20.0.10",
            "subnet_id": "subnet-1",
            "tenancy": "default",
            "root_block_device": {"volume_size": 60, "volume_type": "gp3"},
            "metadata_options": {"http_tokens": "required", "http_put_response_hop_limit": 2},
            "capacity_reservation_specification": {"capacity_reservation_preference": "capacity-reservations-only"},
        },
    ),
    "interface": (
        "ec2.NetworkInterface",
        {"subnet_id": "subnet-1", "private_ips": ["10.20.0.10"], "interface_type": "efa"},
    ),
    "volume": ("ebs.Volume", {"availability_zone": "us-east-2b", "size": 100, "type": "gp3", "encrypted": True}),
    "key": ("ec2.KeyPair", {"public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ hpc@example.org"}),
    "placement": ("ec2.PlacementGroup", {"strategy": "cluster"}),
    "partitions": ("ec2.PlacementGroup", {"strategy": "partition", "partition_count": 7}),
    "scratch": (
        "fsx.LustreFileSystem",
        {"subnet_ids": "subnet-1", "storage_capacity": 1200, "deployment_type": "SCRATCH_2"},
    ),
    "lustre": (
        "fsx.LustreFileSystem",
        {
            "subnet_ids": "subnet-1",
            "storage_capacity": 4800,
            "deployment_type": "PERSISTENT_2",
            "storage_type": "SSD",
            "per_unit_storage_throughput": 250,
            "data_compression_type": "LZ4",
            "file_system_type_version": "2.15",
            "automatic_backup_retention_days": 7,
            "weekly_maintenance_start_time": "7:05:00",
            "metadata_configuration": {"mode": "AUTOMATIC"},
            "log_configuration": {
                "level": "WARN_ERROR",
                "destination": "arn:aws:logs:us-east-2:123456789012:log-group:/aws/fsx/cfd",
            },
            "root_squash_configuration": {"root_squash": "65534:65534"},
        },
    ),
    "association": (
        "fsx.DataRepositoryAssociation",
        {
            "file_system_id": "fs-1",
            "data_repository_path": "s3://my-hpc-data-bucket/in",
            "file_system_path": "/in",
            "imported_file_chunk_size": 1024,
            "s3": {"auto_import_policy": {"events": ["NEW", "CHANGED"]}, "auto_export_policy": {"events": ["NEW"]}},
        },
    ),
    "home": (
        "fsx.OpenZfsFileSystem",
        {
            "subnet_ids": ["subnet-1"],
            "deployment_type": "SINGLE_AZ_HA_2",
            "throughput_capacity": 320,
            "storage_capacity": 1024,
            "storage_type": "SSD",
            "disk_iops_configuration": {"mode": "AUTOMATIC"},
            "root_volume_configuration": {
                "data_compression_type": "ZSTD",
                "record_size_kib": 128,
                "nfs_exports": {"client_configurations": [{"clients": "10.20.0.0/16", "options": ["rw"]}]},
            },
        },
    ),
    "efs": (
        "efs.FileSystem",
        {
            "encrypted": True,
            "performance_mode": "generalPurpose",
            "throughput_mode": "elastic",
            "lifecycle_policies": [{"transition_to_ia": "AFTER_30_DAYS"}],
        },
    ),
    "bucket": ("s3.Bucket", {"bucket": "cfd-config-123456789012", "force_destroy": False}),
    "lifecycle": (
        "s3.BucketLifecycleConfiguration",
        {
            "bucket": "cfd-config",
            "rules": [
                {
                    "id": "expire",
                    "status": "Enabled",
                    "expiration": {"days": 30},
                    "transitions": [{"days": 10, "storage_class": "GLACIER_IR"}],
                    "abort_incomplete_multipart_upload": {"days_after_initiation": 1},
                }
            ],
        },
    ),
    "encryption": (
        "s3.BucketServerSideEncryptionConfiguration",
        {
            "bucket": "cfd-config",
            "rules": [{"apply_server_side_encryption_by_default": {"sse_algorithm": "AES256"}}],
        },
    ),
    "express": (
        "s3.DirectoryBucket",
        {"bucket": "scratch--use2-az2--x-s3", "location": {"name": "use2-az2", "type": "AvailabilityZone"}},
    ),
    "object": (
        "s3.BucketObjectv2",
        {"bucket": "cfd-config", "key": "slurm.conf", "content": "ClusterName=cfd", "storage_class": "STANDARD"},
    ),
    "role": (
        "iam.Role",
        {"assume_role_policy": json.dumps(_TRUST), "max_session_duration": 3600, "path": "/hpc/"},
    ),
    "policy": ("iam.Policy", {"policy": policy()}),
    "attachment": (
        "iam.RolePolicyAttachment",
        {"role": "head", "policy_arn": "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"},
    ),
    "fleet": (
        "autoscaling.Group",
        {
            "min_size": 2,
            "max_size": 4,
            "desired_capacity": 2,
            "health_check_type": "ELB",
            "vpc_zone_identifiers": ["subnet-1"],
            "launch_template": {"id": "lt-1", "version": "$Latest"},
            "termination_policies": ["arn:aws:lambda:us-east-2:123456789012:function:choose"],
            "tags": [{"key": "ClusterName", "value": "cfd", "propagate_at_launch": True}],
        },
    ),
    "hook": (
        "autoscaling.LifecycleHook",
        {
            "autoscaling_group_name": "logins",
            "lifecycle_transition": "autoscaling:EC2_INSTANCE_TERMINATING",
            "default_result": "CONTINUE",
            "heartbeat_timeout": 3600,
        },
    ),
    "balancer": (
        "lb.LoadBalancer",
        {"load_balancer_type": "network", "internal": True, "ip_address_type": "ipv4", "subnets": ["subnet-1"]},
    ),
    "targets": (
        "lb.TargetGroup",
        {
            "port": 22,
            "protocol": "TCP",
            "target_type": "instance",
            "vpc_id": "vpc-1",
            "deregistration_delay": 3600,
            "health_check": {"protocol": "TCP", "port": "traffic-port", "interval": 10, "healthy_threshold": 3},
            "stickiness": {"type": "source_ip", "enabled": True},
        },
    ),
    "listener": (
        "lb.Listener",
        {
            "load_balancer_arn": "arn:aws:elasticloadbalancing:us-east-2:123456789012:loadbalancer/net/cfd/1",
            "port": 22,
            "protocol": "TCP",
            "default_actions": [
                {"type": "forward", "target_group_arn": "arn:aws:elasticloadbalancing:us-east-2:1:targetgroup/a/1"}
            ],
        },
    ),
    "web": (
        "lb.Listener",
        {
            "load_balancer_arn": "arn:aws:elasticloadbalancing:us-east-2:123456789012:loadbalancer/app/cfd/1",
            "port": 443,
            "protocol": "HTTPS",
            "default_actions": [
                {"type": "fixed-response", "fixed_response": {"content_type": "text/plain", "status_code": "404"}}
            ],
        },
    ),
    "function": (
        "lambda_.Function",
        {
            "role": "arn:aws:iam::123456789012:role/terminate",
            "runtime": "python3.13",
            "handler": "index.handler",
            "timeout": 900,
            "memory_size": 256,
            "architectures": ["arm64"],
            "tracing_config": {"mode": "PassThrough"},
        },
    ),
    "invocation": (
        "lambda_.Invocation",
        {"function_name": "terminate", "input": '{"cluster": "cfd"}', "lifecycle_scope": "CRUD"},
    ),
    "logs": ("cloudwatch.LogGroup", {"retention_in_days": 30, "log_group_class": "STANDARD"}),
    "alarm": (
        "cloudwatch.MetricAlarm",
        {
            "comparison_operator": "GreaterThanThreshold",
            "evaluation_periods": 2,
            "metric_name": "CPUUtilization",
            "namespace": "AWS/EC2",
            "period": 60,
            "statistic": "Average",
            "threshold": 90,
            "treat_missing_data": "notBreaching",
            "alarm_actions": ["arn:aws:automate:us-east-2:ec2:recover"],
        },
    ),
    "dashboard": ("cloudwatch.Dashboard", {"dashboard_name": "cfd", "dashboard_body": '{"widgets": []}'}),
    "schedule": ("cloudwatch.EventRule", {"schedule_expression": "rate(5 minutes)"}),
    "parameter": (
        "ssm.Parameter",
        {"name": "/cluster/cfd/manifest", "type": "String", "value": "1", "tier": "Standard"},
    ),
    "secret": ("secretsmanager.Secret", {"name": "cfd/munge-key", "recovery_window_in_days": 0}),
    "budget": (
        "budgets.Budget",
        {
            "budget_type": "COST",
            "time_unit": "MONTHLY",
            "limit_amount": "1000",
            "limit_unit": "USD",
            "cost_filters": [{"name": "TagKeyValue", "values": ["user:ClusterName$cfd"]}],
            "notifications": [
                {
                    "comparison_operator": "GREATER_THAN",
                    "threshold": 80,
                    "threshold_type": "PERCENTAGE",
                    "notification_type": "ACTUAL",
                    "subscriber_email_addresses": ["hpc@example.org"],
                }
            ],
        },
    ),
    "kms": ("kms.Key", {"deletion_window_in_days": 30, "enable_key_rotation": True}),
}

MISSING = object()
"""In place of a value: the property is taken out."""

# Resource, place in its arguments, wrong value, and the path that must be named if it is not the place itself.
FAULTS = [
    # Names that do not exist.
    ("template", "cpu_options.core_cuont", 96, "cpuOptions.core_cuont"),
    ("template", "metadata_options.http_token", "required", "metadataOptions.http_token"),
    ("template", "network_interfaces.0.subnetid", "subnet-1", "networkInterfaces[0].subnetid"),
    ("template", "block_device_mappings.0.ebs.size", 60, "blockDeviceMappings[0].ebs.size"),
    ("template", "instance_market_options.spot_options.price", "1", "instanceMarketOptions.spotOptions.price"),
    ("instance", "root_block_device.type", "gp3", "rootBlockDevice.type"),
    ("lustre", "metadata_configuration.iop", 1500, "metadataConfiguration.iop"),
    ("association", "s3.autoimport_policy", {"events": ["NEW"]}, "s3.autoimport_policy"),
    ("home", "root_volume_configuration.record_size", 128, "rootVolumeConfiguration.record_size"),
    ("lifecycle", "rules.0.expire", {"days": 3}, "rules[0].expire"),
    ("fleet", "launch_template.versions", "$Latest", "launchTemplate.versions"),
    ("targets", "health_check.intervall", 10, "healthCheck.intervall"),
    ("budget", "notifications.0.email", "hpc@example.org", "notifications[0].email"),
    # Required and missing.
    ("lifecycle", "rules.0.status", MISSING, None),
    ("lifecycle", "rules.0.id", MISSING, None),
    ("express", "location.name", MISSING, None),
    ("listener", "default_actions.0.type", MISSING, None),
    ("fleet", "tags.0.propagate_at_launch", MISSING, None),
    ("budget", "notifications.0.threshold", MISSING, None),
    # Another type than the API has.
    ("vpc", "enable_dns_hostnames", "yes", None),
    ("template", "network_interfaces.0.device_index", "first", None),
    ("fleet", "vpc_zone_identifiers", "subnet-1", None),
    ("fleet", "min_size", 1.5, None),
    ("lustre", "storage_capacity", "1.2TiB", None),
    ("group", "ingress.0.cidr_blocks", "203.0.113.0/24", None),
    ("template", "network_interfaces.0.ipv4_prefixes", "10.20.0.0/28", None),
    # Values that are documented in the SDK.
    ("placement", "strategy", "clusterz", None),
    ("template", "block_device_mappings.0.ebs.volume_type", "io9", None),
    ("template", "placement.tenancy", "shared", None),
    ("template", "instance_market_options.spot_options.spot_instance_type", "one-shot", None),
    ("instance", "tenancy", "shared", None),
    ("nat", "connectivity_type", "internal", None),
    ("flow-log", "traffic_type", "DENY", None),
    ("old-rule", "type", "inbound", None),
    ("volume", "type", "io9", None),
    ("scratch", "deployment_type", "SCRATCH_3", None),
    ("lustre", "data_compression_type", "GZIP", None),
    ("lustre", "file_system_type_version", "2.16", None),
    ("lustre", "log_configuration.level", "DEBUG", None),
    ("lustre", "metadata_configuration.mode", "AUTO", None),
    ("association", "s3.auto_import_policy.events", ["NEW", "MODIFIED"], "s3.autoImportPolicy.events[1]"),
    ("association", "imported_file_chunk_size", 600000, None),
    ("home", "storage_capacity", 32, None),
    ("efs", "performance_mode", "max_io", None),
    ("efs", "lifecycle_policies.0.transition_to_ia", "AFTER_31_DAYS", None),
    ("lifecycle", "rules.0.status", "enabled", None),
    ("express", "location.type", "Zone", None),
    ("balancer", "load_balancer_type", "net", None),
    ("targets", "deregistration_delay", 7200, None),
    ("targets", "health_check.interval", 1, None),
    ("listener", "default_actions.0.type", "redirct", None),
    ("function", "timeout", 1800, None),
    ("function", "memory_size", 64, None),
    ("invocation", "lifecycle_scope", "ALWAYS", None),
    ("alarm", "statistic", "Mean", None),
    ("parameter", "type", "Secret", None),
    ("secret", "recovery_window_in_days", 3, None),
    ("budget", "time_unit", "WEEKLY", None),
    ("budget", "notifications.0.notification_type", "FORECAST", None),
    ("kms", "deletion_window_in_days", 3, None),
    # Values that only the API documents.
    ("template", "network_interfaces.0.interface_type", "efaa", None),
    ("template", "cpu_options.threads_per_core", 3, None),
    ("template", "metadata_options.http_tokens", "requierd", None),
    ("template", "metadata_options.http_put_response_hop_limit", 65, None),
    ("template", "block_device_mappings.0.ebs.volume_size", 0, None),
    ("template", "block_device_mappings.0.ebs.throughput", 100, None),
    ("template", "user_data", "#!/bin/sh", None),
    ("template", "user_data", user_data(20_000), None),
    ("template", "instance_type", "hpc6a", None),
    ("instance", "root_block_device.volume_type", "io9", None),
    ("instance", "private_ip", "10.0.300.4", None),
    ("interface", "private_ips", ["10.20.0.10", "10.20.0"], "privateIps[1]"),
    ("interface", "interface_type", "enaa", None),
    ("volume", "size", 0, None),
    ("key", "public_key", "ssh-ed25519", None),
    ("eip", "domain", "classic", None),
    ("endpoint", "vpc_endpoint_type", "gateway", None),
    ("vpc", "cidr_block", "10.20.0.0", None),
    ("vpc", "cidr_block", "10.20.0.1/16", None),
    ("vpc", "instance_tenancy", "host", None),
    ("subnet", "availability_zone_id", "us-east-2b", None),
    ("subnet", "cidr_block", "10.300.0.0/20", None),
    ("route", "destination_cidr_block", "0.0.0.0", None),
    ("rule", "to_port", 70000, None),
    ("rule", "ip_protocol", "tpc", None),
    ("rule", "cidr_ipv4", "10.20.0.0/33", None),
    ("group", "ingress.0.protocol", "ssh", None),
    ("group", "ingress.0.cidr_blocks", ["203.0.113.0/24", "anywhere"], "ingress[0].cidrBlocks[1]"),
    ("association", "data_repository_path", "my-hpc-data-bucket", None),
    ("association", "file_system_path", "in", None),
    ("lustre", "weekly_maintenance_start_time", "Sun:05:00", None),
    ("lustre", "automatic_backup_retention_days", 100, None),
    ("lustre", "log_configuration.destination", "/aws/fsx/cfd", None),
    ("home", "deployment_type", "SINGLE_AZ_3", None),
    ("home", "root_volume_configuration.record_size_kib", 100, None),
    ("efs", "throughput_mode", "burst", None),
    ("lifecycle", "rules.0.transitions.0.storage_class", "COLD", None),
    ("encryption", "rules.0.apply_server_side_encryption_by_default.sse_algorithm", "AES-256", None),
    ("bucket", "bucket", "CFD_config", None),
    ("express", "bucket", "scratch", None),
    ("role", "assume_role_policy", "{", None),
    ("role", "max_session_duration", 60, None),
    ("policy", "policy", policy(Effect="Allowed"), None),
    ("policy", "policy", policy(Actions=["ec2:*"]), None),
    ("policy", "policy", policy(Action="RunInstances"), None),
    ("policy", "policy", policy(Resource=None), None),
    ("attachment", "policy_arn", "AmazonSSMManagedInstanceCore", None),
    ("fleet", "health_check_type", "EC3", None),
    ("hook", "lifecycle_transition", "EC2_INSTANCE_TERMINATING", None),
    ("hook", "heartbeat_timeout", 10, None),
    ("targets", "port", 70000, None),
    ("targets", "target_type", "instances", None),
    ("listener", "protocol", "SSH", None),
    ("listener", "load_balancer_arn", "cfd", None),
    ("function", "runtime", "python-3.13", None),
    ("function", "architectures", ["aarch64"], "architectures[0]"),
    ("invocation", "input", "{cluster: cfd}", None),
    ("logs", "retention_in_days", 31, None),
    ("alarm", "comparison_operator", "GreaterThan", None),
    ("alarm", "treat_missing_data", "ok", None),
    ("dashboard", "dashboard_body", "widgets", None),
    ("schedule", "schedule_expression", "every 5 minutes", None),
    ("parameter", "tier", "Free", None),
    ("parameter", "name", "/aws/cfd", None),
    ("secret", "name", "cfd munge key", None),
    ("budget", "budget_type", "MONEY", None),
    ("budget", "limit_amount", "1000 USD", None),
    ("budget", "notifications.0.threshold_type", "PERCENT", None),
    # Values that are wrong together.
    ("fleet", "min_size", 5, None),
    ("fleet", "desired_capacity", 9, None),
    ("rule", "from_port", 7000, None),
    ("lustre", "per_unit_storage_throughput", 200, None),
    ("scratch", "per_unit_storage_throughput", 200, None),
    ("scratch", "storage_capacity", 1300, None),
    ("home", "throughput_capacity", 64, None),
    ("placement", "partition_count", 3, None),
    ("template", "instance_market_options", {"market_type": "capacity-block"}, "placement.groupName"),
    ("efs", "provisioned_throughput_in_mibps", 100, None),
    ("volume", "type", "io2", "iops"),
    ("vpc", "tags", {"aws:Name": "cfd"}, "tags.aws:Name"),
]

# The SDK itself gives up on these while the program runs: an object where a list or a text should be, or the reverse.
REFUSED_BY_THE_SDK = [
    ("template", "block_device_mappings", {"device_name": "/dev/sda1"}),
    ("policy", "policy", {"Version": ["2012-10-17"], "Statement": [{"Effect": "Alow"}]}),
    ("instance", "metadata_options", ["required"]),
]


def faulty(name, place, value):
    """The arguments of a resource with one of them changed."""
    arguments = copy.deepcopy(RESOURCES[name][1])
    *way, last = [int(step) if step.isdigit() else step for step in place.split(".")]
    target = arguments
    for step in way:
        target = target[step]
    if value is MISSING:
        del target[last]
    else:
        target[last] = value
    return arguments


def wire_path(place):
    """`network_interfaces.0.device_index` -> `networkInterfaces[0].deviceIndex`."""
    path = ""
    for step in place.split("."):
        head, *rest = step.split("_")
        path += f"[{step}]" if step.isdigit() else f".{head}{''.join(word.capitalize() for word in rest)}"
    return path.removeprefix(".")


def make(cls, arguments):
    """The resource."""
    service, _, name = cls.partition(".")
    return getattr(getattr(pulumi_aws, service), name)("resource", **arguments)
