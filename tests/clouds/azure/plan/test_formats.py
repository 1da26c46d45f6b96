"""Formats of values that Azure documents and its SDK does not check."""

import pytest

from hpc_components.azure.plan.inputs.formats import FORMATS


@pytest.mark.parametrize(
    ("name", "texts"),
    {
        "arm_id": ["$self/probes/sshd", "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/site"],
        "guid": ["5f0f9a61-7a4c-4f0d-9c3a-2f1f4f6d7b10"],
        "key_url": ["https://vault1.vault.azure.net/keys/disks", f"https://v-1.vault.azure.net/keys/d/{'0' * 32}"],
        "nsg_source": ["*", "VirtualNetwork", "Storage.EastUS", "10.0.0.0/8", "2001:db8::/32", "10.0.0.4"],
        "port_range": ["*", "22", "1019-1023", "0"],
        "role": ["/providers/Microsoft.Authorization/roleDefinitions/4633458b-17de-408a-b874-0445c86b69e6"],
        "scope": ["/subscriptions/11111111-2222-3333-4444-555555555555"],
        "time_of_day": ["03:00", "23:59"],
    }.items(),
)
def test_values_of_the_right_format_pass(name: str, texts: list[str]) -> None:
    assert [FORMATS[name](text) for text in texts] == [None] * len(texts)


@pytest.mark.parametrize(
    ("name", "texts"),
    {
        "arm_id": ["site", "/subscriptions/1/resourceGroups/site"],
        "guid": ["5f0f9a61", "5f0f9a617a4c4f0d9c3a2f1f4f6d7b10"],
        "key_url": ["https://vault1.vault.azure.net/secrets/disks", "vault1/disks", "https://v.example.org/keys/d"],
        "nsg_source": ["everybody", "10.0.0.0/8,10.1.0.0/16", "virtualNetwork"],
        "port_range": ["ssh", "70000", "10-5", "22,443"],
        "role": ["Contributor", "/providers/Microsoft.Authorization/roleDefinitions/contributor"],
        "scope": ["/subscriptions/1", "cfd"],
        "time_of_day": ["3:00", "24:00", "noon"],
    }.items(),
)
def test_wrong_forms_are_refused_with_a_way_out(name: str, texts: list[str]) -> None:
    assert all(fault and fault[0] and fault[1] for fault in map(FORMATS[name], texts))
