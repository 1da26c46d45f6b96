AVAILABILITY_SET = "azure-native:compute:AvailabilitySet"
DISK = "azure-native:compute:Disk"
LOAD_BALANCER = "azure-native:network:LoadBalancer"
MACHINE = "azure-native:compute:VirtualMachine"
NAT_GATEWAY = "azure-native:network:NatGateway"
NETWORK = "azure-native:network:VirtualNetwork"
PUBLIC_ADDRESS = "azure-native:network:PublicIPAddress"
SCALE_SET = "azure-native:compute:VirtualMachineScaleSet"
SECURITY_GROUP = "azure-native:network:NetworkSecurityGroup"
STORAGE_ACCOUNT = "azure-native:storage:StorageAccount"
SUBNET = "azure-native:network:Subnet"

DATA = (STORAGE_ACCOUNT,)
"""Resource types that contain user files, in addition to those that the products define. Deleting a storage account
deletes all of its content."""

FLEET = "hpc:azure:InfinibandComputeFleet"
HEAD_NODE = "hpc:azure:SlurmHeadNode"
LOGIN_NODES = "hpc:azure:LoginNodeNLB"
