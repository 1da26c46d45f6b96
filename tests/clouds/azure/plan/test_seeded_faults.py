"""Each error seeded into inputs of the stacks is found; `tests/stacks` checks that there are no false findings."""

from collections import Counter
from typing import Any

import pytest
from seeded_faults import GONE, Seeded, faults_of

from hpc_components.spec.input_rules import FaultKind as Kind

HB, UNI, ND = "azure-hbv4", "azure-university", "azure-nd"
UNIFORM, SPOT = (
    "VirtualMachineScaleSet cfd-compute-queue-hb176rs-v4-1",
    "VirtualMachineScaleSet cfd-spot-hb120rs-v3-1",
)
VM, STATE, LUSTRE = "VirtualMachine cfd-head", "Disk cfd-head-state", "AmlFilesystem cfd-scratch"
GUARD, RULE = "NetworkSecurityGroup cfd-head-nsg", "DataCollectionRule cfd-logs-rule"
CARD, BALANCER, SHARE = "NetworkInterface cfd-head-interface", "LoadBalancer nd-login-nlb", "FileShare cfd-home-share"
VOLUME, POOL = "CapacityPoolVolume university-home-volume", "CapacityPool university-home-pool"
ASSIGNED, ROLE, VAULT = (
    "RoleAssignment cfd-scratch-blobs", "RoleDefinition cfd-head-launch", "Vault cfd-vault-1a46",
)  # fmt: skip
PROFILE = "virtualMachineProfile"
KEY = "osProfile.linuxConfiguration.ssh.publicKeys.0.keyData"


def at(resource: str, place: str, value: Any, kind: Kind, words: str = "", stack: str = HB) -> Seeded:
    """Return an error that is found where it was seeded."""
    path = "".join(f"[{step}]" if step.isdigit() else f".{step}" for step in place.split("."))[1:]
    return Seeded(stack, resource, {place: value}, path, kind, words)


NAMES = (
    at(UNIFORM, "singlePlacmentGroup", True, Kind.UNKNOWN, "single_placement_group"),
    at(UNIFORM, f"{PROFILE}.osProfile.computerNamePrefx", "n", Kind.UNKNOWN, "computer_name_prefix"),
    at(VM, "storageProfile.osDisk.diskSizeGb", 64, Kind.UNKNOWN, "disk_size_gb"),
    at(CARD, "ipConfigurations.0.privateIpAddress", "10.1.1.1", Kind.UNKNOWN, "private_ip_address"),
    at(LUSTRE, "storageCapacityTib", 8, Kind.UNKNOWN, "storage_capacity_ti_b"),
    at(GUARD, "securityRules.0.ports", "22", Kind.UNKNOWN),
    at(BALANCER, "loadBalancingRules.0.frontPort", 22, Kind.UNKNOWN, "frontend_port", ND),
)
MISSING = (
    at(GUARD, "securityRules.0.direction", GONE, Kind.MISSING),
    at(GUARD, "securityRules.0.access", GONE, Kind.MISSING),
    at(VAULT, "properties.sku", GONE, Kind.MISSING),
    at(STATE, "creationData.createOption", GONE, Kind.MISSING),
    at(ASSIGNED, "principalId", GONE, Kind.MISSING),
    at(VOLUME, "subnetId", GONE, Kind.MISSING, stack=UNI),
    at(SPOT, f"{PROFILE}.networkProfile.networkApiVersion", GONE, Kind.MISSING, "2022-11-01"),
)
TYPES = (
    at(UNIFORM, "overprovision", "no", Kind.WRONG_TYPE),
    at(STATE, "diskSizeGB", "64GiB", Kind.WRONG_TYPE),
    at(UNIFORM, "zones", "1", Kind.WRONG_TYPE, "square brackets"),
    at(GUARD, "securityRules.0.sourceAddressPrefixes", "10.0.0.0/8", Kind.WRONG_TYPE, "square brackets"),
    at(VM, "networkProfile", ["nic"], Kind.WRONG_TYPE),
    at(VM, "networkProfile.networkInterfaces.0", "nic", Kind.WRONG_TYPE),
)
ENUMERATIONS = (
    at(UNIFORM, "orchestrationMode", "Unifrom", Kind.NOT_ALLOWED, "`Uniform`"),
    at(SPOT, f"{PROFILE}.evictionPolicy", "Remove", Kind.NOT_ALLOWED, "`Delete`"),
    at(GUARD, "securityRules.0.access", "Permit", Kind.NOT_ALLOWED),
    at(GUARD, "securityRules.0.protocol", "TCP", Kind.NOT_ALLOWED, "`Tcp`"),
    at(CARD, "ipConfigurations.0.privateIPAllocationMethod", "Fixed", Kind.NOT_ALLOWED),
    at(STATE, "sku.name", "Premium_SSD", Kind.NOT_ALLOWED),
    at(VM, "storageProfile.osDisk.caching", "ReadWrit", Kind.NOT_ALLOWED, "`ReadWrite`"),
    at(BALANCER, "loadBalancingRules.0.loadDistribution", "ClientIP", Kind.NOT_ALLOWED, stack=ND),
    at(SHARE, "rootSquash", "None", Kind.NOT_ALLOWED),
    at(VOLUME, "networkFeatures", "Standrad", Kind.NOT_ALLOWED, "`Standard`", UNI),
    at(ASSIGNED, "principalType", "ServicePrinciple", Kind.NOT_ALLOWED, "`ServicePrincipal`"),
    at("Budget cfd-budget", "timeGrain", "Month", Kind.NOT_ALLOWED, "`Monthly`"),
    at("StorageAccount cfdconfig7efe", "minimumTlsVersion", "TLS1.2", Kind.NOT_ALLOWED, "`TLS1_2`"),
    at("NatGateway cfd-nat", "sku.name", "Basic", Kind.NOT_ALLOWED, "`Standard`"),
)
RANGES = (
    at(GUARD, "securityRules.0.priority", 99, Kind.OUT_OF_RANGE, "100 to 4096"),
    at(GUARD, "securityRules.0.priority", 5000, Kind.OUT_OF_RANGE),
    at(BALANCER, "loadBalancingRules.0.idleTimeoutInMinutes", 3, Kind.OUT_OF_RANGE, stack=ND),
    at(BALANCER, "loadBalancingRules.0.backendPort", 70000, Kind.OUT_OF_RANGE, stack=ND),
    at(BALANCER, "probes.0.intervalInSeconds", 1, Kind.OUT_OF_RANGE, stack=ND),
    at("PublicIPAddress cfd-head-address", "idleTimeoutInMinutes", 60, Kind.OUT_OF_RANGE, "4 to 30"),
    at(UNIFORM, "platformFaultDomainCount", 8, Kind.OUT_OF_RANGE),
    at(SPOT, "sku.capacity", 1001, Kind.OUT_OF_RANGE, "0 to 1000"),
    at(VM, "storageProfile.osDisk.diskSizeGB", 5000, Kind.OUT_OF_RANGE),
    at(VAULT, "properties.softDeleteRetentionInDays", 3, Kind.OUT_OF_RANGE, "7 to 90"),
    at("FileServiceProperties cfd-home-service", "shareDeleteRetentionPolicy.days", 0, Kind.OUT_OF_RANGE),
    at("BlobServiceProperties nd-checkpoints-service", "containerDeleteRetentionPolicy.days", 400, Kind.OUT_OF_RANGE,
       stack=ND),
    at(SHARE, "shareQuota", 200_000, Kind.OUT_OF_RANGE),
    at("Workspace cfd-logs", "retentionInDays", 1000, Kind.OUT_OF_RANGE, "7 to 730"),
    at(VOLUME, "usageThreshold", 2**30, Kind.OUT_OF_RANGE, stack=UNI),
    at(VM, "osProfile.customData", "QUFB" * 22_000, Kind.OUT_OF_RANGE, "65535"),
)  # fmt: skip
FORMS = (
    at(CARD, "ipConfigurations.0.privateIPAddress", "10.20.0.300", Kind.MALFORMED, "IPv4"),
    at("Subnet cfd-head", "addressPrefix", "10.20.0.0", Kind.MALFORMED, "prefix length is missing"),
    at("Subnet cfd-head", "addressPrefix", "10.20.0.1/20", Kind.MALFORMED),
    at("VirtualNetwork cfd-vnet", "addressSpace.addressPrefixes.0", "10.20.0.0/40", Kind.MALFORMED),
    at(GUARD, "securityRules.1.destinationPortRanges.0", "6817:6829", Kind.MALFORMED, "1019-1023"),
    at(GUARD, "securityRules.1.destinationPortRanges.0", "6829-6817", Kind.MALFORMED),
    at(GUARD, "securityRules.0.sourceAddressPrefixes.0", "all nodes", Kind.MALFORMED, "VirtualNetwork"),
    at(ASSIGNED, "principalId", "lustre", Kind.MALFORMED, "GUID"),
    at(ASSIGNED, "scope", "myhpcdata", Kind.MALFORMED, "id of a subscription"),
    at(ASSIGNED, "roleDefinitionId", "Storage Blob Data Contributor", Kind.MALFORMED, "roleDefinitions"),
    at(LUSTRE, "filesystemSubnet", "/subscriptions/1/subnets/lustre", Kind.MALFORMED),
    at(LUSTRE, "maintenanceWindow.timeOfDayUTC", "3 am", Kind.MALFORMED, "03:00"),
    at(VOLUME, "subnetId", "netapp", Kind.MALFORMED, stack=UNI),
    at(VOLUME, "creationToken", "1-home", Kind.MALFORMED, stack=UNI),
    at(VOLUME, "unixPermissions", "rwxr-xr-x", Kind.MALFORMED, "0755", UNI),
    at(VM, "osProfile.customData", "#!/bin/sh", Kind.MALFORMED, "b64encode"),
    at(VM, KEY, "ssh-ed25519", Kind.MALFORMED, "id_ed25519.pub"),
    at(
        "DataCollectionRule cfd-logs-rule",
        "destinations.logAnalytics.0.workspaceResourceId",
        "cfd-logs",
        Kind.MALFORMED,
    ),
)
TOGETHER = (
    at(SPOT, "singlePlacementGroup", True, Kind.CONFLICTING, "Uniform"),
    at(SPOT, "overprovision", False, Kind.CONFLICTING, "Flexible"),
    at(UNIFORM, "zones", ["1", "2"], Kind.CONFLICTING, "specify a single zone"),
    at(UNIFORM, "sku.capacity", 301, Kind.OUT_OF_RANGE, "300 after a support request"),
    at(UNIFORM, f"{PROFILE}.capacityReservation", {"capacityReservationGroup": {"id": "<unknown>"}}, Kind.CONFLICTING,
       "single placement group"),
    at(SPOT, f"{PROFILE}.capacityReservation", {"capacityReservationGroup": {"id": "<unknown>"}}, Kind.CONFLICTING,
       "is not available for Spot machines"),
    at(SPOT, f"{PROFILE}.billingProfile.maxPrice", 0, Kind.CONFLICTING, "-1"),
    at(UNIFORM, f"{PROFILE}.evictionPolicy", "Delete", Kind.CONFLICTING, "applies to Spot machines only"),
    at(UNIFORM, f"{PROFILE}.storageProfile.osDisk.managedDisk.storageAccountType", "PremiumV2_LRS", Kind.CONFLICTING,
       "Premium_LRS"),
    at(GUARD, "securityRules.1.priority", 100, Kind.CONFLICTING, "another rule"),
    at(SHARE, "enabledProtocols", "SMB", Kind.CONFLICTING),
    at("StorageAccount cfdhomec136", "sku.name", "Standard_LRS", Kind.CONFLICTING, "FileStorage"),
    at("StorageAccount cfdhomec136", "accountName", "CFD-home", Kind.NOT_ALLOWED),
    at(VAULT, "vaultName", "1cfd", Kind.NOT_ALLOWED),
    at(ROLE, "permissions.0.actions.0", "read", Kind.NOT_ALLOWED, "Microsoft.Compute"),
)  # fmt: skip
NOT_SOLD = (
    at(LUSTRE, "storageCapacityTiB", 9, Kind.OUT_OF_RANGE, "8"),
    at(LUSTRE, "sku.name", "AMLFS-Durable-Premium-200", Kind.NOT_ALLOWED, "AMLFS-Durable-Premium-"),
    at(LUSTRE, "zones", ["1", "2"], Kind.CONFLICTING),
    at(STATE, "diskIOPSReadWrite", 5000, Kind.CONFLICTING, "leave it out"),
    at(STATE, "diskMBpsReadWrite", 300, Kind.CONFLICTING, "leave it out"),
    at(STATE, "diskSizeGB", 70_000, Kind.OUT_OF_RANGE),
    at(STATE, "diskSizeGB", 40_000, Kind.CONFLICTING, "32767"),
)
TAGS = (
    at(STATE, "tags.hpc/role", "head", Kind.NOT_ALLOWED),
    at(STATE, "tags.clustername", "cfd", Kind.CONFLICTING),
    at(STATE, "tags.Note", "x" * 257, Kind.NOT_ALLOWED, "256"),
    at(STATE, "tags", {f"t{number}": "" for number in range(51)}, Kind.OUT_OF_RANGE, "50"),
)
FAULTS = (*NAMES, *MISSING, *TYPES, *ENUMERATIONS, *RANGES, *FORMS, *TOGETHER, *NOT_SOLD, *TAGS)

ELSEWHERE = {"tags.clustername": "tags", "enabledProtocols": "rootSquash"}
"""Where an error is found that concerns several values."""


@pytest.mark.parametrize("seeded", FAULTS, ids=map(str, FAULTS))
def test_each_fault_is_found_by_its_check_alone(seeded: Seeded) -> None:
    (found,) = faults_of(seeded)
    assert (found.path, found.kind) == (ELSEWHERE.get(seeded.path, seeded.path), seeded.kind)
    assert seeded.words in f"{found.reason} {found.remedy}"
    assert found.reason
    assert found.remedy


def test_there_are_faults_of_each_kind() -> None:
    assert len(FAULTS) >= 80
    kinds = Counter(each.kind for each in FAULTS)
    assert set(kinds) == set(Kind)
    assert min(kinds.values()) >= 6
