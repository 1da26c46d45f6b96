AUTO_SCALING_GROUP = "aws:autoscaling/group:Group"
BUCKET = "aws:s3/bucket:Bucket"
INSTANCE = "aws:ec2/instance:Instance"
LAUNCH_TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
LOAD_BALANCER = "aws:lb/loadBalancer:LoadBalancer"
SUBNET = "aws:ec2/subnet:Subnet"
VOLUME = "aws:ebs/volume:Volume"
VPC = "aws:ec2/vpc:Vpc"

DATA = (
    "aws:fsx/ontapFileSystem:OntapFileSystem",
    "aws:fsx/windowsFileSystem:WindowsFileSystem",
)
"""Resource types with user files, in addition to those that the products define."""

FLEET = "hpc:aws:EfaComputeFleet"
HEAD_NODE = "hpc:aws:SlurmHeadNode"
LOGIN_NODES = "hpc:aws:LoginNodeNLB"
