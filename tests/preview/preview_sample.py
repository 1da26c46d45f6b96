"""Clusters described by hand, in the shapes that recordings of the real components have."""

import base64
from collections.abc import Iterable
from typing import Any

from hpc_components.preview.cost import cost_of
from hpc_components.preview.plan import Plan
from hpc_components.preview.quota import quotas_of
from hpc_components.preview.recording import RecordedResource, Recording
from hpc_components.preview.resources import UNKNOWN, Resource, Resources
from hpc_components.spec.findings import Finding, Level

USER_DATA = "#!/bin/sh\nset -eu\nexec /opt/hpc/boot\n"


class Program:
    """Collects resources as a stack program would make them."""

    def __init__(self) -> None:
        self.made: list[Resource] = []

    def add(
        self,
        type: str,
        name: str,
        parent: Resource | None = None,
        needs: tuple[Resource, ...] = (),
        /,
        *,
        protect: bool = False,
        **inputs: Any,
    ) -> Resource:
        """One resource; `needs` are those whose outputs it takes."""
        chain = f"{parent.urn.split('::')[2]}${type}" if parent else type
        resource = Resource(
            urn=f"urn:pulumi:aws-cfd::hpc::{chain}::{name}",
            type=type,
            name=name,
            parent=parent.urn if parent else None,
            inputs=inputs,
            depends_on=tuple(sorted(need.urn for need in needs)),
            protect=protect,
            retain=protect,
        )
        self.made.append(resource)
        return resource

    @property
    def resources(self) -> Resources:
        """What was made."""
        return Resources(self.made)


def network(program: Program, zones: tuple[str, ...] = ("use2-az2",)) -> dict[str, Resource]:
    """A VPC with a public and a private subnet in each zone; subnets by `public use2-az2`."""
    vpc = program.add("hpc:aws:Vpc", "cfd", zones=list(zones))
    inner = program.add("aws:ec2/vpc:Vpc", "cfd-vpc", vpc, cidrBlock="10.20.0.0/16", tags={"Name": "cfd"})
    gateway = program.add("aws:ec2/internetGateway:InternetGateway", "cfd-igw", vpc, (inner,), vpcId=UNKNOWN)
    table = program.add("aws:ec2/routeTable:RouteTable", "cfd-public", vpc, (inner,), vpcId=UNKNOWN)
    program.add(
        "aws:ec2/route:Route", "cfd-public-internet", vpc, (table, gateway),
        destinationCidrBlock="0.0.0.0/0", gatewayId=UNKNOWN,
    )  # fmt: skip
    subnets = {}
    for zone in zones:
        number = int(zone[-1])
        for side, cidr in (("public", f"10.20.{number * 4}.0/22"), ("private", f"10.20.{number * 32}.0/19")):
            name = f"cfd-{side}-{zone}"
            subnet = program.add(
                "aws:ec2/subnet:Subnet", name, vpc, (inner,), availabilityZoneId=zone, cidrBlock=cidr, vpcId=UNKNOWN
            )
            subnets[f"{side} {zone}"] = subnet
            if side == "public":
                program.add(
                    "aws:ec2/routeTableAssociation:RouteTableAssociation", name, vpc, (subnet, table),
                    routeTableId=UNKNOWN, subnetId=UNKNOWN,
                )  # fmt: skip
    public = subnets[f"public {zones[0]}"]
    address = program.add("aws:ec2/eip:Eip", "cfd-nat", vpc, domain="vpc")
    program.add("aws:ec2/natGateway:NatGateway", "cfd-nat", vpc, (address, public), allocationId=UNKNOWN)
    program.add(
        "aws:ec2/vpcEndpoint:VpcEndpoint", "cfd-s3", vpc, (inner,),
        serviceName="com.amazonaws.us-east-2.s3", vpcEndpointType="Gateway",
    )  # fmt: skip
    group = program.add("aws:ec2/securityGroup:SecurityGroup", "cfd-login", vpc, (inner,), vpcId=UNKNOWN)
    program.add(
        "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", "cfd-login-ssh", vpc, (group,),
        fromPort=22, toPort=22, ipProtocol="tcp", cidrIpv4="203.0.113.0/24",
    )  # fmt: skip
    return subnets


def fleet(program: Program, queue: str, machines: list[str], subnets: dict[str, Resource], **more: Any) -> Resource:
    """One queue."""
    inputs: dict[str, Any] = {
        "queue": queue, "machines": machines, "min": 0, "max": 16, "purchase": "on_demand",
        "zones": ["use2-az2"], "efa": True, "smt": False, **more,
    }  # fmt: skip
    needs = tuple(subnets[f"private {zone}"] for zone in inputs["zones"])
    made = program.add("hpc:aws:EfaComputeFleet", queue, None, needs, **inputs)
    for machine in machines:
        program.add(
            "aws:ec2/launchTemplate:LaunchTemplate", f"{queue}-{machine}", made,
            instanceType=machine,
            metadataOptions={"httpTokens": "required"},
            userData=base64.b64encode(USER_DATA.encode()).decode(),
            blockDeviceMappings=[
                {"deviceName": "/dev/sda1", "ebs": {"volumeSize": 64, "volumeType": "gp3", "encrypted": "true"}}
            ],
        )  # fmt: skip
    return made


def head_node(program: Program, subnet: Resource, *, public: bool) -> Resource:
    """The head node with its fixed address and its state volume."""
    head = program.add("hpc:aws:SlurmHeadNode", "head", None, (subnet,), machine="c6i.xlarge")
    card = program.add(
        "aws:ec2/networkInterface:NetworkInterface", "head-eth0", head, (subnet,), privateIps=["10.20.8.20"]
    )
    instance = program.add(
        "aws:ec2/instance:Instance", "head-node", head, (card,),
        instanceType="c6i.xlarge", rootBlockDevice={"volumeSize": 64, "volumeType": "gp3"},
        userData=USER_DATA,
    )  # fmt: skip
    volume = program.add(
        "aws:ebs/volume:Volume", "head-state", head, size=64, type="gp3", availabilityZone=UNKNOWN, protect=True
    )
    program.add("aws:ec2/volumeAttachment:VolumeAttachment", "head-state", head, (instance, volume))
    program.add("aws:secretsmanager/secret:Secret", "head-munge", head)
    program.add("aws:secretsmanager/secret:Secret", "head-jwt", head)
    if public:
        program.add("aws:ec2/eip:Eip", "head-address", head, (card,), domain="vpc")
    return head


def login_nodes(program: Program, subnets: dict[str, Resource]) -> Resource:
    """Login nodes behind a load balancer on the internet."""
    login = program.add("hpc:aws:LoginNodeNLB", "login", None)
    template = program.add(
        "aws:ec2/launchTemplate:LaunchTemplate", "login-nodes", login, instanceType="m6i.large",
        blockDeviceMappings=[{"deviceName": "/dev/sda1", "ebs": {"volumeSize": 64, "volumeType": "gp3"}}],
    )  # fmt: skip
    program.add(
        "aws:autoscaling/group:Group", "login-nodes", login, (template, subnets["private use2-az2"]),
        minSize=2, maxSize=4, desiredCapacity=2,
    )  # fmt: skip
    program.add(
        "aws:lb/loadBalancer:LoadBalancer", "login-nlb", login, (subnets["public use2-az2"],),
        loadBalancerType="network", internal=False, subnets=[UNKNOWN],
    )  # fmt: skip
    return login


def storage(program: Program, subnet: Resource) -> None:
    """Scratch linked to a bucket, homes, a data bucket."""
    scratch = program.add("hpc:aws:LustreFilesystem", "scratch", None, (subnet,), mount="/fsx")
    lustre = program.add(
        "aws:fsx/lustreFileSystem:LustreFileSystem", "scratch-fs", scratch, (subnet,), protect=True,
        deploymentType="SCRATCH_2", storageCapacity=1200, storageType="SSD", fileSystemTypeVersion="2.15",
    )  # fmt: skip
    program.add(
        "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation", "scratch-link-0", scratch, (lustre,),
        dataRepositoryPath="s3://my-hpc-data-bucket", fileSystemPath="/",
    )  # fmt: skip
    home = program.add("hpc:aws:HomeFilesystem", "home", None, (subnet,), mount="/home")
    program.add(
        "aws:fsx/openZfsFileSystem:OpenZfsFileSystem", "home-fs", home, (subnet,), protect=True,
        deploymentType="SINGLE_AZ_1", storageCapacity=1024, throughputCapacity=128,
    )  # fmt: skip
    data = program.add("hpc:aws:DataBucket", "data", None)
    program.add("aws:s3/bucket:Bucket", "data-bucket", data, protect=True, bucket="my-hpc-data-bucket")


def cfd(*, zones: tuple[str, ...] = ("use2-az2",)) -> Program:
    """The tightly coupled CPU cluster, with a spot queue, GPUs and login nodes."""
    program = Program()
    subnets = network(program, zones)
    group = program.add("hpc:aws:PlacementGroup", "compute-queue-pg", strategy="cluster")
    program.add("aws:ec2/placementGroup:PlacementGroup", "compute-queue-pg", group, strategy="cluster")
    fleet(program, "compute-queue", ["hpc6a.48xlarge"], subnets, placementStrategy="cluster")
    fleet(
        program, "spot", ["c7i.48xlarge", "c6i.32xlarge"], subnets, max=200, purchase="spot", efa=False,
        zones=list(zones),
    )  # fmt: skip
    fleet(program, "gpu", ["p5.48xlarge"], subnets, max=8, min=1, smt=True, purchase="capacity_block")
    head_node(program, subnets["public use2-az2"], public=True)
    login_nodes(program, subnets)
    storage(program, subnets["private use2-az2"])
    store = program.add("hpc:aws:ConfigBucket", "config", None)
    bucket = program.add("aws:s3/bucket:Bucket", "config-bucket", store)
    program.add(
        "aws:s3/bucketObjectv2:BucketObjectv2", "config-slurm.conf", store, (bucket,),
        key="slurm/slurm.conf", content="ClusterName=cfd\nSlurmctldHost=head(10.20.8.20)\n",
    )  # fmt: skip
    program.add(
        "aws:s3/bucketObjectv2:BucketObjectv2", "config-fstab", store, (bucket,),
        key="mounts/fstab", content="# <mounts> & more\n",
    )  # fmt: skip
    program.add("aws:lambda/function:Function", "reaper-fn", program.add("hpc:aws:NodeReaper", "reaper"))
    budget = program.add("hpc:aws:ClusterBudget", "budget")
    program.add(
        "aws:budgets/budget:Budget", "budget", budget, limitAmount="5000", limitUnit="USD", timeUnit="MONTHLY"
    )
    return program


FINDINGS = (
    Finding(
        id="HPC-MCH-003",
        level=Level.ERROR,
        path="queues[2].machine",
        value="p5.48xlarge",
        reason="p5.48xlarge is not sold in use2-az2.",
        remedy="Use a zone that has it: use2-az1, use2-az3.",
        file="stacks/config/Pulumi.aws-cfd.yaml",
        line=24,
        column=15,
    ),
    Finding(
        id="HPC-NET-010",
        level=Level.WARNING,
        path="network.ssh_from",
        value="0.0.0.0/0",
        reason="The whole internet may try to log in.",
        remedy="Name the networks of your users.",
    ),
    Finding(
        id="HPC-SLM-002",
        level=Level.INFO,
        path="slurm.idle_time",
        value="10m",
        reason="Short.",
        remedy="Longer.",
        silenced="as we want it",
    ),
)


def recording_of(program: Program) -> Recording:
    """What a recorder would hand over."""
    return Recording(
        project="hpc",
        stack="aws-cfd",
        resources=tuple(
            RecordedResource(
                urn=each.urn,
                type=each.type,
                name=each.name,
                parent=each.parent,
                inputs=dict(each.inputs),
                depends_on=each.depends_on,
                protect=each.protect,
                retain=each.retain,
            )
            for each in program.made
        ),
        outputs={"login": UNKNOWN},
    )


def plan_of(program: Program, findings: Iterable[Finding] = FINDINGS) -> Plan:
    """The plan of a cluster described by hand; its inputs are not judged, because they are not whole."""
    return Plan(
        stack="aws-cfd",
        cloud="aws",
        cluster="cfd",
        region="us-east-2",
        resources=program.resources,
        outputs={"login": UNKNOWN},
        cost=cost_of(program.resources, "aws", "us-east-2"),
        quota=quotas_of(program.resources, "aws", "us-east-2"),
        findings=[each.to_dict() for each in findings],
    )
