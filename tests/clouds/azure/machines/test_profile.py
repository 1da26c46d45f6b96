import base64
import hashlib
import inspect
import re
from pathlib import Path

import pulumi_azure_native as azure_native

from hpc_components.azure.fleet import availability_set
from hpc_components.azure.machines import profile
from hpc_components.elastic.drivers.azure import arm

P = 2**255 - 19
D = -121665 * pow(121666, P - 2, P) % P


def is_point(encoded: bytes) -> bool:
    """Return whether these bytes are a point on Ed25519's curve. RFC 8032, 5.1.3."""
    y = int.from_bytes(encoded, "little") & (1 << 255) - 1
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    return y < P and (square == 0 or pow(square, (P - 1) // 2, P) == 1)


def test_nobodys_key_was_found_by_hashing_a_sentence():
    """A key computed from a secret can't have a chosen text, and a chosen text has no known secret."""
    kind, text, comment = profile.UNUSABLE_SSH_KEY.split()
    assert (kind, comment) == ("ssh-ed25519", "nobody")
    point = base64.b64decode(text)[-32:]
    sentence = "hpc_components: nobody has the private key to this public key"
    assert sentence in Path(profile.__file__).read_text(encoding="utf-8")
    hashes = [hashlib.sha256(f"{sentence} {number}".encode()).digest() for number in range(2)]
    assert [is_point(each) for each in hashes] == [False, True], "the first that is a point"
    assert point == hashes[1]


def test_without_a_key_of_yours_it_is_nobodys():
    for key, expected in ((None, profile.UNUSABLE_SSH_KEY), ("ssh-ed25519 AAAA me\n", "ssh-ed25519 AAAA me")):
        linux = profile.linux("azureuser", key)
        (one,) = linux.ssh.public_keys
        assert (one.key_data, one.path) == (expected, "/home/azureuser/.ssh/authorized_keys")
        assert linux.disable_password_authentication is True


def test_no_machine_is_asked_for_by_an_api_that_switches_secure_boot_on() -> None:
    """From 2025-11-01 on, a machine without `securityProfile` has Trusted Launch with secure boot, and no unsigned
    driver loads; then `securityType: Standard` has to be stated, which earlier versions refuse without a feature of
    the subscription. Source: Azure documentation, "Trusted Launch for Azure virtual machines", of 2026-07-27,
    "Trusted Launch as default"; Azure CLI, `az vm create --security-type`."""
    machines = azure_native.compute.VirtualMachine, azure_native.compute.VirtualMachineScaleSet
    said = [re.findall(r"Uses Azure REST API version ([\d-]+)", inspect.getsource(each)) for each in machines]
    versions = {version for found in said for version in found}
    assert all(said)
    for version in (*versions, availability_set.API_VERSION, arm.API_VERSION):
        assert version < "2025-11-01"
