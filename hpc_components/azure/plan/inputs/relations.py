"""Finds inputs that Azure accepts individually but refuses in combination."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.azure.catalog.names import wrong_name
from hpc_components.azure.catalog.tag_names import clashing_tags, most_tags, wrong_tag_name, wrong_tag_value
from hpc_components.preview.inputs.input_facts import Check
from hpc_components.preview.inputs.input_fault import property_fault
from hpc_components.preview.nested import items, number_at, text_at
from hpc_components.spec.input_rules import FaultKind


def _priorities(inputs: Mapping[str, Any]) -> Iterator[Any]:
    """Source: Network Security Groups, SecurityRule."""
    rules = items(inputs, "securityRules")
    keys = [(text_at(rule, "direction"), number_at(rule, "priority")) for rule in rules]
    counts = Counter(keys)
    for index, key in enumerate(keys):
        if None not in key and counts[key] > 1 and keys.index(key) < index:
            remedy = "give each rule in the same direction a different priority"
            yield property_fault(
                f"securityRules[{index}].priority", key[1], "is also the priority of another rule", remedy
            )


def _account(inputs: Mapping[str, Any]) -> Iterator[Any]:
    name = text_at(inputs, "accountName")
    if name and (wrong := wrong_name("storage_account", name)):
        yield property_fault("accountName", name, *wrong, FaultKind.NOT_ALLOWED)
    if text_at(inputs, "kind") == "FileStorage" and not (text_at(inputs, "sku.name") or "Premium").startswith(
        "Premium"
    ):
        reason, remedy = "is not available with kind FileStorage", "use `Premium_LRS` or `Premium_ZRS`"
        yield property_fault("sku.name", text_at(inputs, "sku.name"), reason, remedy)


def _vault(inputs: Mapping[str, Any]) -> Iterator[Any]:
    name = text_at(inputs, "vaultName")
    if name and (wrong := wrong_name("key_vault", name)):
        yield property_fault("vaultName", name, *wrong, FaultKind.NOT_ALLOWED)


def _role(inputs: Mapping[str, Any]) -> Iterator[Any]:
    for index, permission in enumerate(items(inputs, "permissions")):
        for key in ("actions", "dataActions"):
            for position, action in enumerate(items(permission, key)):
                if isinstance(action, str) and action != "*" and action.count("/") < 2:
                    reason = "is not a resource provider operation"
                    remedy = "write `Microsoft.Compute/virtualMachines/read`"
                    path = f"permissions[{index}].{key}[{position}]"
                    yield property_fault(path, action, reason, remedy, FaultKind.NOT_ALLOWED)


def tags(inputs: Mapping[str, Any]) -> Iterator[Any]:
    """Source: Azure Resource Manager documentation, "Use tags to organize your Azure resources", limitations."""
    given = inputs.get("tags")
    if not isinstance(given, Mapping):
        return
    if len(given) > most_tags():
        reason, remedy = f"has {len(given)} tags, but at most {most_tags()} are allowed", "leave some out"
        yield property_fault("tags", None, reason, remedy, FaultKind.OUT_OF_RANGE)
    if clash := clashing_tags(given):
        yield property_fault("tags", list(clash), "are the same tag, because Azure ignores case", "keep one")
    for name, value in given.items():
        wrong = wrong_tag_name(name) or (wrong_tag_value(value) if isinstance(value, str) else None)
        if wrong:
            yield property_fault(f"tags.{name}", value, *wrong, FaultKind.NOT_ALLOWED)


RELATIONS: Mapping[str, tuple[Check, ...]] = {
    "azure-native:authorization:RoleDefinition": (_role,),
    "azure-native:keyvault:Vault": (_vault,),
    "azure-native:network:NetworkSecurityGroup": (_priorities,),
    "azure-native:storage:StorageAccount": (_account,),
}
