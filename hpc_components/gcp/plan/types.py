ADDRESS = "gcp:compute/address:Address"
BUCKET = "gcp:storage/bucket:Bucket"
DISK = "gcp:compute/disk:Disk"
FIREWALL = "gcp:compute/firewall:Firewall"
FORWARDING_RULE = "gcp:compute/forwardingRule:ForwardingRule"
MACHINE = "gcp:compute/instance:Instance"
NAT = "gcp:compute/routerNat:RouterNat"
NETWORK = "gcp:compute/network:Network"
RANGE = "gcp:compute/globalAddress:GlobalAddress"
SECRET = "gcp:secretmanager/secret:Secret"
SUBNET = "gcp:compute/subnetwork:Subnetwork"

GROUPS = (
    "gcp:compute/instanceGroupManager:InstanceGroupManager",
    "gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager",
)
TEMPLATES = (
    "gcp:compute/instanceTemplate:InstanceTemplate",
    "gcp:compute/regionInstanceTemplate:RegionInstanceTemplate",
)


BAKED_IMAGE = "hpc:gcp:BakedImage"
FLEET = "hpc:gcp:CompactComputeFleet"
HEAD_NODE = "hpc:gcp:SlurmHeadNode"
LOGIN_NODES = "hpc:gcp:LoginNodeNLB"
VPC = "hpc:gcp:Vpc"
