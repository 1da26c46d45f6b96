"""A subscription of Azure that has everything that a description names, and the description."""

from collections.abc import Mapping
from typing import Any

from .rest_account import RestAccount

SUBSCRIPTION, REGION = "11111111-2222-3333-4444-555555555555", "eastus"
HERE = f"management.azure.com/subscriptions/{SUBSCRIPTION}"
COMPUTE = f"{HERE}/providers/Microsoft.Compute"
PUBLISHERS = f"{COMPUTE}/locations/{REGION}/publishers"
OFFERS = "artifacttypes/vmimage/offers"
PLAN = (
    f"{HERE}/providers/Microsoft.MarketplaceOrdering/offerTypes/virtualmachine/publishers/cis/offers/cis-ubuntu/plans"
    "/cis-ubuntu-2404/agreements/current"
)
GROUP = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/research"
VNET = f"{GROUP}/providers/Microsoft.Network/virtualNetworks/research"
SUBNET = f"{VNET}/subnets/nodes"
LUSTRE = f"{VNET}/subnets/lustre"
RESERVATIONS = f"{GROUP}/providers/Microsoft.Compute/capacityReservationGroups/weeks"
RESERVATION = f"{RESERVATIONS}/capacityReservations/fleet"
IDENTITY = f"{GROUP}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/head"
SET = f"{GROUP}/providers/Microsoft.Compute/diskEncryptionSets/disks"
ACCOUNT = f"{GROUP}/providers/Microsoft.Storage/storageAccounts/myhpcdata"
IMAGE = f"{GROUP}/providers/Microsoft.Compute/images/hpc-node"
SIZES = ("Standard_D8s_v5", "Standard_HB176rs_v4", "Standard_F64as_v6")
USAGES = (
    "cores", "lowPriorityCores", "standardHBv4Family", "standardDSv5Family", "standardFASv6Family",
    "PremiumV2TotalDiskSizeInGB",
)  # fmt: skip
PROVIDERS = (
    "Microsoft.Authorization", "Microsoft.Compute", "Microsoft.Consumption", "Microsoft.Insights",
    "Microsoft.KeyVault", "Microsoft.ManagedIdentity", "Microsoft.Network", "Microsoft.OperationalInsights",
    "Microsoft.Resources", "Microsoft.Storage", "Microsoft.StorageCache",
)  # fmt: skip


def arm(id: str) -> str:
    return f"management.azure.com{id}"


def usages(names: tuple[str, ...], **limits: tuple[int, int]) -> Any:
    """Return usages; `limits` has (limit, usage) of some."""
    plain = (1_000_000, 0)
    every = [(name, *limits.get(name, plain)) for name in names]
    return {"value": [{"name": {"value": name}, "limit": limit, "currentValue": used} for name, limit, used in every]}


def size(name: str, zones: tuple[str, ...] = ("1", "2"), **told: Any) -> Any:
    plain = {"resourceType": "virtualMachines", "name": name, "locationInfo": [{"zones": list(zones)}]}
    return plain | {"restrictions": []} | told


def sizes(**told: Any) -> list[Any]:
    """Return two pages of sizes; `told` has records of some."""
    every = [told.get(name) or size(name) for name in SIZES]
    return [{"value": [{"resourceType": "disks", "name": "Premium_LRS"}]}, {"value": every}]


def public_image(**told: Any) -> Any:
    return {"properties": {"architecture": "x64", "imageDeprecationStatus": {"imageState": "Active"}} | told}


def available(query: Mapping[str, str], body: Any) -> Any:
    return {"nameAvailable": True}


POLICIES = f"{HERE}/providers/Microsoft.PolicyInsights/checkPolicyRestrictions"


def denying(type: str, *paths: str, effect: str = "deny", size: str = "") -> Any:
    """Answer that a policy denies resources of a type, or machines of a size, by the properties at `paths`."""

    def answer(query: Mapping[str, str], body: Any) -> Any:
        content = body["resourceDetails"]["resourceContent"]
        there = content.get("properties", {}).get("hardwareProfile", {}).get("vmSize", "")
        if content["type"] != type or size != there:
            return {"fieldRestrictions": [], "contentEvaluationResult": {"policyEvaluations": []}}
        info = {"policyAssignmentId": f"{HERE}/providers/Microsoft.Authorization/policyAssignments/guard"}
        expressions = [{"result": "True", "path": path, "operator": "In"} for path in paths]
        found = {"policyInfo": info, "evaluationResult": "NonCompliant", "effectDetails": {"policyEffect": effect}}
        evaluation = found | {"evaluationDetails": {"evaluatedExpressions": expressions}}
        return {"contentEvaluationResult": {"policyEvaluations": [evaluation]}}

    return answer


def sound_subscription(azure: RestAccount) -> str:
    """Fill the subscription, and return the description that names what is in it."""
    zones = [{"logicalZone": number, "physicalZone": f"eastus-az{number}"} for number in "123"]
    made = {"location": REGION, "properties": {"provisioningState": "Succeeded"}}
    azure.documents = {
        HERE: {"subscriptionId": SUBSCRIPTION, "state": "Enabled"},
        f"{HERE}/locations": {"value": [{"name": REGION, "availabilityZoneMappings": zones}, {"name": "westus"}]},
        f"{COMPUTE}/skus": sizes(),
        f"{COMPUTE}/locations/{REGION}/usages": usages(USAGES),
        f"{HERE}/providers/Microsoft.Network/locations/{REGION}/usages": usages(("StandardSkuPublicIpAddresses",)),
        f"{HERE}/providers/Microsoft.Authorization/permissions": {"value": [{"actions": ["*"], "notActions": []}]},
        f"{HERE}/providers/Microsoft.Storage/checkNameAvailability": available,
        f"{HERE}/providers/Microsoft.Storage/storageAccounts": {"value": [{"name": "myhpcdata"}]},
        **{f"{HERE}/providers/{name}": {"registrationState": "Registered"} for name in PROVIDERS},
        **{arm(id): made for id in (GROUP, VNET, IDENTITY, SET, ACCOUNT, IMAGE)},
        arm(SUBNET): {"properties": {"addressPrefix": "10.20.0.0/20", "ipConfigurations": [], "delegations": []}},
        f"{PUBLISHERS}/Canonical/{OFFERS}/ubuntu-24_04-lts/skus/server/versions/24.04.202607140": public_image(),
        f"{PUBLISHERS}/microsoft-dsvm/artifacttypes/vmimage/offers/ubuntu-hpc/skus/2404/versions/24.04.2026072901": (
            public_image()
        ),
        POLICIES: denying("Microsoft.Compute/virtualMachines", "type", effect="audit"),
        PLAN: {"properties": {"accepted": True}},
        arm(LUSTRE): {"properties": {"addressPrefixes": ["10.20.16.0/24"]}},
        arm(RESERVATIONS): {"location": REGION, "properties": {"capacityReservations": [{"id": RESERVATION}]}},
        arm(RESERVATION): {"sku": {"name": "Standard_F64as_v6", "capacity": 4}, "zones": ["1"]},
    }
    return _DESCRIPTION


_DESCRIPTION = f"""\
config:
  hpc:cluster:
    cloud: azure
    name: cfd
    region: {REGION}
    zone: {REGION}-1
    resource_group: {GROUP}
    network:
      existing:
        vnet: {VNET}
        cidr: 10.20.0.0/16
        private:
          {REGION}: {{id: {SUBNET}, cidr: 10.20.0.0/20}}
        lustre: {{id: {LUSTRE}, cidr: 10.20.16.0/24}}
    head_node:
      machine: Standard_D8s_v5
      identity: {IDENTITY}
      root: {{size: 64GiB, encryption_set: {SET}}}
    storage:
      scratch:
        type: lustre
        mount: /fsx
        size: 8TiB
        throughput: 250
        link:
          bucket: "https://myhpcdata.blob.core.windows.net/runs"
          log_bucket: "https://myhpcdata.blob.core.windows.net/logs"
          resource_group: {GROUP}
        principal: 5f0f9a61-7a4c-4f0d-9c3a-2f1f4f6d7b10
    buckets:
      results: {{type: blob, name: cfdresultsinstitute}}
    queues:
      - {{name: mpi, machine: Standard_HB176rs_v4, max: 16}}
      - name: own
        machine: Standard_F64as_v6
        max: 4
        image: {IMAGE}
        image_plan: {{name: cis-ubuntu-2404, product: cis-ubuntu, publisher: cis}}
        purchase: {{reservation: {RESERVATIONS}}}
    budget: {{monthly: 20000, notify: [hpc-admins@example.org]}}
"""
