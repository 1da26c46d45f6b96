"""The descriptor of AWS."""

from hpc_components.cloud import Cloud, ExampleMachines, Words
from hpc_components.elastic.drivers.aws.limits import LIMITS

__all__ = ["CLOUD"]

CLOUD = Cloud(
    name="aws",
    title="AWS",
    package="hpc_components.aws",
    sdk="pulumi_aws",
    pulumi_package="aws",
    words=Words(
        compute="EC2",
        fabric="EFA",
        placement="cluster placement group",
        network="VPC",
        # Amazon VPC user guide, "Enable internet access for a VPC using an internet gateway"
        internet="internet gateway",
        quotas="Service Quotas",
        reservations="`aws ec2 describe-capacity-reservations`",
        shell="Session Manager",
        image_id="ami-...",
        subnet_id="subnet-...",
        machines=ExampleMachines(
            queue="c7i.48xlarge",
            fabric="hpc7a.96xlarge",
            head="m7i.xlarge",
            login="m7i.large",
            least="c7i.large (4 GiB)",
        ),
    ),
    zonal_subnets=True,
    widest_subnet=16,  # Amazon VPC user guide, "Subnet CIDR blocks"
    narrowest_subnet=28,  # the same page
    kept_addresses=(4, 1),  # Amazon VPC user guide, "Subnet CIDR blocks"
    spot_notice_seconds=LIMITS.spot_notice_seconds,
    list_lag_seconds=LIMITS.list_lag_seconds,
    launch_size=LIMITS.launch_size,
    bucket_scheme="s3",
)
