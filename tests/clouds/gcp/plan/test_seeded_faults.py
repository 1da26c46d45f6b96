"""Faults seeded into the inputs of the stacks are found; `tests/stacks` checks that nothing else is."""

from collections import Counter
from typing import Any

import pytest
from seeded_faults import GONE, Seeded, faults_of

from hpc_components.spec.input_rules import FaultKind as Kind

H3, H4D, ULTRA = "gcp-h3", "gcp-h4d", "gcp-ultracluster"
CLOSE, SPOT = (
    "RegionInstanceTemplate cfd-compute-queue-h3-standard-88-us-central1-a",
    "RegionInstanceTemplate cfd-spot-c3-standard-176-us-central1-a",
)
MPI, FLEX = (
    "RegionInstanceTemplate h4d-mpi-h4d-standard-192-us-central1-a",
    "RegionInstanceTemplate h4d-urgent-h4d-standard-192-us-central1-a",
)
GPU = "RegionInstanceTemplate ultracluster-gpu-a3-ultragpu-8g-us-central1-b"
HEAD, STATE, NETWORK, NODES = "Instance cfd-head", "Disk cfd-head-state", "Network cfd", "Subnetwork cfd-nodes"
RULE, NAT, RANGE = "Firewall cfd-ssh-from-users", "RouterNat cfd-nat", "GlobalAddress cfd-services"
LUSTRE, FILESTORE = "gcp:lustre/instance:Instance cfd-scratch", "gcp:filestore/instance:Instance cfd-home"
HOME = "gcp:filestore/instance:Instance dev-home"
BALANCER, HEALTH = "RegionBackendService h4d-login-nodes", "RegionHealthCheck h4d-login-sshd"
LOGIN = "RegionInstanceGroupManager h4d-login"
BUCKET, BUDGET, ROLE = "Bucket h4d-results", "Budget cfd-budget", "IAMCustomRole cfd-head-place"
GRANT = "gcp:projects/iAMMember:IAMMember cfd-spot-writes-logs"
RESERVED = {"type": "SPECIFIC_RESERVATION", "specificReservation": {"key": "name", "values": ["gpus"]}}
ROCE = "Network ultracluster-b-roce"
PROFILES = "projects/my-hpc-project/global/networkProfiles"


def at(resource: str, place: str, value: Any, kind: Kind, words: str = "", stack: str = H3) -> Seeded:
    """A fault that is found where it was seeded."""
    path = "".join(f"[{step}]" if step.isdigit() else f".{step}" for step in place.split("."))[1:]
    return Seeded(stack, resource, {place: value}, path, kind, words)


NAMES = (
    at(CLOSE, "scheduling.onHostMaintenence", "TERMINATE", Kind.UNKNOWN, "on_host_maintenance"),
    at(CLOSE, "networkInterfaces.0.nictype", "GVNIC", Kind.UNKNOWN, "nic_type"),
    at(CLOSE, "disks.0.size", 64, Kind.UNKNOWN),
    at(HEAD, "bootDisk.initializeParams.diskType", "pd-ssd", Kind.UNKNOWN),
    at(RULE, "allow", [], Kind.UNKNOWN, "allows"),
    at(BUCKET, "lifecycleRules.0.condition.ages", 30, Kind.UNKNOWN, "age", H4D),
    at(FILESTORE, "fileShares.capacityGB", 1024, Kind.UNKNOWN, "capacity_gb"),
)
MISSING = (
    at(CLOSE, "machineType", GONE, Kind.MISSING, "machine_type"),
    at(CLOSE, "disks", GONE, Kind.MISSING),
    at(LUSTRE, "capacityGib", GONE, Kind.MISSING),
    at(FILESTORE, "tier", GONE, Kind.MISSING),
    at(RULE, "allows.0.protocol", GONE, Kind.MISSING),
    at(GRANT, "member", GONE, Kind.MISSING),
    at(FLEX, "scheduling.maxRunDuration", GONE, Kind.MISSING, "600 to 604800", H4D),
    at(GPU, "reservationAffinity.specificReservation", GONE, Kind.MISSING, "key", ULTRA),
    at(MPI, "scheduling.onHostMaintenance", GONE, Kind.MISSING, "TERMINATE", H4D),
    Seeded("gcp-dev", HOME, {}, "dependsOn", Kind.MISSING, "private services", beside=True, unlinked="Connection"),
    # Lustre has no other connection
    Seeded(H3, FILESTORE, {"networks.0.connectMode": "DIRECT_PEERING"}, "dependsOn", Kind.MISSING, "first",
           beside=True, unlinked="Connection"),
)  # fmt: skip
TYPES = (
    at(CLOSE, "networkInterfaces", {"nicType": "GVNIC"}, Kind.WRONG_TYPE, "square brackets"),
    at(STATE, "size", "64GiB", Kind.WRONG_TYPE),
    at(NETWORK, "autoCreateSubnetworks", "no", Kind.WRONG_TYPE),
    at(RULE, "sourceRanges", "203.0.113.0/24", Kind.WRONG_TYPE),
    at(FILESTORE, "fileShares", "vol1", Kind.WRONG_TYPE),
    at(CLOSE, "metadata.hpc-queue", 12, Kind.WRONG_TYPE, "quotes"),
)
ENUMERATIONS = (
    at(CLOSE, "networkInterfaces.0.nicType", "GNIC", Kind.NOT_ALLOWED, "`GVNIC`"),
    at(CLOSE, "scheduling.onHostMaintenance", "STOP", Kind.NOT_ALLOWED, "`MIGRATE`"),
    at(CLOSE, "scheduling.provisioningModel", "PREEMPTIBLE", Kind.NOT_ALLOWED, "`SPOT`"),
    at(SPOT, "scheduling.instanceTerminationAction", "REMOVE", Kind.NOT_ALLOWED, "`DELETE`"),
    at(SPOT, "reservationAffinity.type", "NONE", Kind.NOT_ALLOWED, "`NO_RESERVATION`"),
    at(SPOT, "advancedMachineFeatures.threadsPerCore", 3, Kind.NOT_ALLOWED, "`1`"),
    at(HEAD, "attachedDisks.0.mode", "RW", Kind.NOT_ALLOWED, "`READ_WRITE`"),
    at(RULE, "direction", "IN", Kind.NOT_ALLOWED, "`INGRESS`"),
    at(NETWORK, "routingMode", "LOCAL", Kind.NOT_ALLOWED, "`REGIONAL`"),
    at(NAT, "natIpAllocateOption", "AUTO", Kind.NOT_ALLOWED, "`AUTO_ONLY`"),
    at(RANGE, "purpose", "PEERING", Kind.NOT_ALLOWED, "`VPC_PEERING`"),
    at(FILESTORE, "networks.0.connectMode", "PRIVATE_SERVICES_ACCESS", Kind.NOT_ALLOWED, "`PRIVATE_SERVICE_ACCESS`"),
    at(FILESTORE, "tier", "BASIC", Kind.NOT_ALLOWED, "`BASIC_HDD`"),
    at(LUSTRE, "perUnitStorageThroughput", "200", Kind.NOT_ALLOWED, "`125`"),
    at(BALANCER, "loadBalancingScheme", "PUBLIC", Kind.NOT_ALLOWED, "`EXTERNAL`", H4D),
    at(BALANCER, "sessionAffinity", "SOURCE_IP", Kind.NOT_ALLOWED, "`CLIENT_IP`", H4D),
    at(LOGIN, "updatePolicy.minimalAction", "RECREATE", Kind.NOT_ALLOWED, "`REPLACE`", H4D),
    at(BUCKET, "lifecycleRules.0.action.storageClass", "COLD", Kind.NOT_ALLOWED, "`COLDLINE`", H4D),
    at(BUDGET, "thresholdRules.0.spendBasis", "ACTUAL", Kind.NOT_ALLOWED, "`CURRENT_SPEND`"),
)
RANGES = (
    at(NETWORK, "mtu", 9000, Kind.OUT_OF_RANGE, "1300 to 8896"),
    at(RULE, "priority", 70000, Kind.OUT_OF_RANGE),
    at(CLOSE, "disks.0.diskSizeGb", 70000, Kind.OUT_OF_RANGE, "65536"),
    at(FLEX, "scheduling.maxRunDuration.seconds", 300, Kind.OUT_OF_RANGE, "600 to 604800", H4D),
    at(HEALTH, "tcpHealthCheck.port", 70000, Kind.OUT_OF_RANGE, stack=H4D),
    at(HEALTH, "checkIntervalSec", 400, Kind.OUT_OF_RANGE, stack=H4D),
    at(BALANCER, "connectionDrainingTimeoutSec", 7200, Kind.OUT_OF_RANGE, "3600", H4D),
    at(
        "RegionAutoscaler h4d-login-grow", "autoscalingPolicy.cpuUtilization.target", 70, Kind.OUT_OF_RANGE, stack=H4D
    ),
    at("ProjectBucketConfig cfd-logs", "retentionDays", 4000, Kind.OUT_OF_RANGE, "3650"),
    at(RANGE, "prefixLength", 30, Kind.OUT_OF_RANGE),
    at(CLOSE, "metadata.user-data", "#" * 300_000, Kind.OUT_OF_RANGE, "262144"),
    at(STATE, "labels", {f"l{number}": "" for number in range(65)}, Kind.OUT_OF_RANGE, "64"),
)
FORMS = (
    at(NODES, "ipCidrRange", "10.20.128.0", Kind.MALFORMED, "prefix length is missing"),
    at(NODES, "ipCidrRange", "10.20.128.1/17", Kind.MALFORMED),
    at(HEAD, "networkInterfaces.0.networkIp", "10.20.0.300", Kind.MALFORMED, "IPv4"),
    at(RULE, "sourceRanges.0", "campus", Kind.MALFORMED, "10.0.0.0/16"),
    at(RULE, "allows.0.ports.0", "ssh", Kind.MALFORMED, "6817-6829"),
    at(RULE, "allows.0.ports.0", "6829-6817", Kind.MALFORMED),
    at(RULE, "allows.0.protocol", "tpc", Kind.MALFORMED, "`tcp`"),
    at(BUDGET, "billingAccount", "my-account", Kind.MALFORMED, "012345-6789AB-CDEF01"),
    at(ROLE, "permissions.0", "compute.*", Kind.MALFORMED, "without a wildcard"),
    at(GRANT, "member", "cfd-spot@my-hpc-project.iam.gserviceaccount.com", Kind.MALFORMED, "serviceAccount:"),
    at(GRANT, "role", "logging.logWriter", Kind.MALFORMED, "roles/"),
    at("Network h4d-a-falcon", "networkProfile", "us-central1-a-vpc-falcon", Kind.MALFORMED, stack=H4D),
)
IDENTIFIERS = (
    at(NETWORK, "name", "CFD_network", Kind.NOT_ALLOWED, "small letters"),
    at(HEAD, "name", "cfd-" + "x" * 70, Kind.NOT_ALLOWED, "63"),
    at("gcp:serviceaccount/account:Account cfd-head-account", "accountId", "head", Kind.NOT_ALLOWED, "6 to 30"),
    at("Secret cfd-secrets-munge", "secretId", "cfd/munge", Kind.NOT_ALLOWED),
    at(ROLE, "roleId", "cfd-head-place", Kind.NOT_ALLOWED, "_"),
    at(LUSTRE, "filesystem", "scratch-fs", Kind.NOT_ALLOWED),
    at(BUCKET, "name", "google-results", Kind.NOT_ALLOWED, "google", H4D),
    at(STATE, "labels.ClusterName", "cfd", Kind.NOT_ALLOWED, "clustername"),
    at(STATE, "labels.hpc:role", "head", Kind.NOT_ALLOWED, "hpc_role"),
    at(STATE, "labels.goog-team", "x", Kind.NOT_ALLOWED, "goog-"),
    at(STATE, "labels.team", "CFD", Kind.NOT_ALLOWED, "cfd"),
)
MACHINES = (
    at(SPOT, "scheduling.automaticRestart", True, Kind.CONFLICTING, "SPOT"),
    at(SPOT, "scheduling.onHostMaintenance", "MIGRATE", Kind.CONFLICTING, "TERMINATE"),
    Seeded(H3, SPOT, {"reservationAffinity": RESERVED}, "reservationAffinity.type", Kind.CONFLICTING, "SPOT"),
    at(CLOSE, "scheduling.preemptible", True, Kind.CONFLICTING, "STANDARD"),
    at(CLOSE, "scheduling.onHostMaintenance", "MIGRATE", Kind.CONFLICTING, "h3-standard-88"),
    at(CLOSE, "advancedMachineFeatures.threadsPerCore", 2, Kind.CONFLICTING, "h3-standard-88"),
    at(CLOSE, "networkPerformanceConfig.totalEgressBandwidthTier", "TIER_1", Kind.CONFLICTING, "h3-standard-88"),
    at(FLEX, "scheduling.instanceTerminationAction", "STOP", Kind.CONFLICTING, "DELETE", H4D),
    at(MPI, "disks.0.diskType", "pd-balanced", Kind.CONFLICTING, "hyperdisk-balanced", H4D),
    at(CLOSE, "disks.0.diskType", "hyperdisk-extreme", Kind.CONFLICTING, "pd-balanced"),
    at(HEAD, "bootDisk.initializeParams.type", "hyperdisk-balanced", Kind.CONFLICTING, "n2-standard-8"),
    at(CLOSE, "networkInterfaces.0.nicType", "IRDMA", Kind.CONFLICTING, "first card"),
    at(GPU, "networkInterfaces.2.nicType", "IRDMA", Kind.CONFLICTING, "a3-ultragpu-8g does not support", ULTRA),
    at(CLOSE, "networkInterfaces.0.subnetwork", "projects/my-project/regions/us-east1/subnetworks/n",
       Kind.CONFLICTING, "us-east1"),
)  # fmt: skip
NOT_SOLD = (
    at(LUSTRE, "capacityGib", "9500", Kind.CONFLICTING, "9000"),
    at(FILESTORE, "fileShares.capacityGb", 1100, Kind.CONFLICTING, "1280"),
    at(FILESTORE, "location", "us-central1", Kind.CONFLICTING, "a zone"),
    at(HOME, "deletionProtectionEnabled", True, Kind.CONFLICTING, "BASIC_HDD",
       "gcp-dev"),
    at(STATE, "provisionedIops", 5000, Kind.CONFLICTING, "leave it out"),
    at(STATE, "size", 5, Kind.CONFLICTING, "10 to 65,536"),
    at("Network h4d-a-falcon", "mtu", 1460, Kind.CONFLICTING, "8896", H4D),
    at(NODES, "ipCidrRange", "10.20.128.0/30", Kind.CONFLICTING, "/29"),
    at(NODES, "ipCidrRange", "169.254.0.0/17", Kind.CONFLICTING, "169.254.0.0/16"),
    at(RULE, "denies", [{"protocol": "tcp"}], Kind.CONFLICTING, "two rules"),
    at(RULE, "targetTags", ["login"], Kind.CONFLICTING, "not both"),
)  # fmt: skip
BESIDE = (
    Seeded(H3, CLOSE, {"region": "us-east1"}, "networkInterfaces", Kind.CONFLICTING, "subnet cfd-nodes", beside=True),
    Seeded(H3, HEAD, {"zone": "us-central1-b"}, "attachedDisks", Kind.CONFLICTING, "us-central1-a", beside=True),
    Seeded(ULTRA, ROCE, {"networkProfile": f"{PROFILES}/us-central1-b-vpc-falcon"},
           "networkInterfaces[2].network", Kind.CONFLICTING, "vpc-roce", beside=True),
    Seeded(ULTRA, ROCE, {"networkProfile": f"{PROFILES}/us-east1-b-vpc-roce"},
           "networkInterfaces[2].network", Kind.CONFLICTING, "us-east1-b", beside=True),
    Seeded(H3, NODES, {"ipCidrRange": "10.20.16.0/20"}, "ipCidrRange", Kind.CONFLICTING, "cfd-login", beside=True),
    Seeded(H3, RANGE, {"address": "10.20.128.0"}, "ipCidrRange", Kind.CONFLICTING, "cfd-services", beside=True),
)  # fmt: skip
FAULTS = (
    *NAMES, *MISSING, *TYPES, *ENUMERATIONS, *RANGES, *FORMS, *IDENTIFIERS, *MACHINES, *NOT_SOLD, *BESIDE,
)  # fmt: skip


@pytest.mark.parametrize("seeded", FAULTS, ids=map(str, FAULTS))
def test_each_fault_is_found_by_its_check_alone(seeded: Seeded) -> None:
    (found,) = faults_of(seeded)
    assert (found.path, found.kind) == (seeded.path, seeded.kind)
    assert seeded.words in f"{found.reason} {found.remedy}"
    assert found.reason
    assert found.remedy


def test_there_are_faults_of_each_kind() -> None:
    assert len(FAULTS) >= 90
    kinds = Counter(each.kind for each in FAULTS)
    assert set(kinds) == set(Kind)
    assert min(kinds.values()) >= 6
