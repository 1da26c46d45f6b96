"""Names of resources, tags and accounts that Azure accepts."""

import re
import string
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.azure.catalog.names import NameOf, longest_name, wrong_admin_user, wrong_name
from hpc_components.azure.catalog.tag_names import clashing_tags, most_tags, wrong_tag_name, wrong_tag_value

KINDS: tuple[NameOf, ...] = get_args(NameOf)
kinds = st.sampled_from(KINDS)
plain = st.text(string.ascii_lowercase + string.digits, min_size=4, max_size=20).filter(
    lambda name: name[0].isalpha()
)


@given(kinds, plain)
def test_small_letters_and_digits_do_everywhere(kind, name):
    assert wrong_name(kind, name) is None


@pytest.mark.parametrize("kind", KINDS)
def test_a_name_may_be_as_long_as_that_and_no_longer(kind):
    most = longest_name(kind)
    assert wrong_name(kind, "a" * most) is None
    reason, remedy = wrong_name(kind, "a" * (most + 1)) or ("", "")
    assert reason == f"{'a' * (most + 1)!r} has {most + 1} characters"
    assert remedy.endswith(f" to {most} characters")
    assert wrong_name(kind, "")


@given(kinds, st.text(string.printable, min_size=1, max_size=30))
def test_a_name_that_is_proposed_is_a_name(kind, name):
    _, remedy = wrong_name(kind, name) or ("", "")
    proposed = re.search(r": (\S+)$", remedy)
    if proposed:
        assert wrong_name(kind, proposed[1]) is None


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("storage_account", "hpcdata01"), ("container", "data-1"), ("key_vault", "hpc-vault"), ("secret", "ssh-host"),
        ("resource_group", "my_group.(eu)"), ("virtual_machine", "head-1"), ("scale_set", "cfd-hpc-hb176rs-v4-1"),
        ("subnet", "AzureBastionSubnet"), ("identity", "cfd_head"), ("netapp_pool", "pool_1"), ("budget", "a-b_c"),
        ("disk", "state.1"), ("computer_name", "compute-1"), ("computer_name_prefix", "compute-"),
    ],
)  # fmt: skip
def test_names_that_azure_takes(kind, name):
    assert wrong_name(kind, name) is None


@pytest.mark.parametrize(
    ("kind", "name", "reason", "proposed"),
    [
        ("storage_account", "My-Data", "a storage account's name can't contain 'M'", "mydata"),
        ("storage_account", "ab", "'ab' has 2 characters", ""),
        ("container", "my_data", "a container's name can't contain '_'", "my-data"),
        ("container", "-data", "a container's name can't begin with '-'", "data"),
        ("container", "da--ta", "a container's name can't have two - in a row", "da-ta"),
        ("key_vault", "1vault", "a Key Vault's name can't begin with '1'", "vault"),
        ("key_vault", "vault-", "a Key Vault's name can't end with '-'", "vault"),
        ("secret", "a_b", "the name of a secret or key can't contain '_'", "a-b"),
        ("resource_group", "group.", "a resource group's name can't end with '.'", "group"),
        ("resource_group", "a b", "a resource group's name can't contain ' '", "a-b"),
        ("virtual_machine", "_head", "a virtual machine's name can't begin with '_'", "head"),
        ("virtual_machine", "head-", "a virtual machine's name can't end with '-'", "head"),
        ("computer_name", "a_b", "a computer's name can't contain '_'", "a-b"),
        ("netapp_volume", "1home", "a volume's name can't begin with '1'", "home"),
    ],
)
def test_names_that_azure_refuses(kind, name, reason, proposed):
    found, remedy = wrong_name(kind, name) or ("", "")
    assert found == reason
    assert remedy.endswith(f": {proposed}" if proposed else "must have 3 to 24 characters")


@pytest.mark.parametrize("name", ["azureuser", "hpc", "ab", "_svc", "jane-doe", "u" * 32])
def test_administrator_names_that_azure_takes_are_accepted(name):
    assert wrong_admin_user(name) is None


@pytest.mark.parametrize(
    "name", ["admin", "root", "Administrator", "user", "", "1a", "jane.doe", "Jane", "u" * 33, "-a"]
)
def test_administrator_names_that_azure_does_not_take_are_refused(name):
    assert wrong_admin_user(name)


@pytest.mark.parametrize("name", ["Name", "hpc:role", "cost centre", "a" * 128, "a.b=c,d", "Microsof"])
def test_a_tag_that_all_resources_can_have_is_accepted(name):
    assert wrong_tag_name(name) is None


@pytest.mark.parametrize("bad", [*"<>%&\\?/", "ö", "\n"])
def test_characters_that_no_tag_has_are_replaced(bad):
    reason, remedy = wrong_tag_name(f"a{bad}b") or ("", "")
    assert repr(bad) in reason
    assert wrong_tag_name(remedy.partition(": ")[2]) is None


@pytest.mark.parametrize("name", ["", "a" * 129, "microsoft:x", "Azure-cost", "WINDOWS", " a", "a "])
def test_other_tag_names_that_azure_refuses_are_found(name):
    assert wrong_tag_name(name)


def test_tag_values_and_their_number_have_limits():
    assert wrong_tag_value("ü" * 256) is None
    assert wrong_tag_value("a" * 257) == ("the tag value has 257 characters", "use at most 256 characters")
    assert most_tags() == 50


def test_tags_are_compared_without_case():
    assert clashing_tags(["Name", "project", "Project"]) == ("project", "Project")
    assert clashing_tags(["Name", "project"]) is None
