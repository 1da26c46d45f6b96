import base64

import pytest

from clouds.azure.sample import SUBSCRIPTION
from hpc_components.azure.components import node_checks as checks
from hpc_components.azure.machines.profile import UNUSABLE_SSH_KEY
from hpc_components.ports import Tags

GALLERY = f"{SUBSCRIPTION}/resourceGroups/i/providers/Microsoft.Compute/galleries/g/images/node/versions/1.0.0"


def rsa_key(bits: int) -> str:
    """Return a public key of this length; RFC 4253, 6.6."""
    numbers = [(65537).to_bytes(3), b"\0" + (1 << bits - 1 | 1).to_bytes(bits // 8)]
    parts = [len(each).to_bytes(4) + each for each in (b"ssh-rsa", *numbers)]
    return f"ssh-rsa {base64.b64encode(b''.join(parts)).decode()} me@site"


def said(check, *args, **more) -> str | None:
    try:
        check("At.field", *args, **more)
    except ValueError as error:
        return str(error)
    return None


@pytest.mark.parametrize(
    ("check", "args"),
    [
        (checks.check_machine, ("Standard_HB176rs_v4",)),
        (checks.check_user_data, ("x" * 65535,)),
        (checks.check_admin, ("azureuser", None)),
        (checks.check_admin, ("hpc_admin", rsa_key(3072))),
        (checks.check_admin, ("hpc_admin", f"{UNUSABLE_SSH_KEY}\n")),
        (checks.check_tags, (Tags("cfd", {"Cost Center": "42"}),)),
    ],
)
def test_what_is_right_passes(check, args):
    assert said(check, *args) is None


@pytest.mark.parametrize(
    ("check", "args", "message"),
    [
        (checks.check_machine, ("Standard_HB176rs_v44",), "did you mean Standard_HB176rs_v4"),
        (checks.check_machine, ("c7i.large",), "'c7i.large' is not an Azure VM size"),
        (checks.check_user_data, ("x" * 65536,), "65536 bytes, but Azure accepts at most 65535"),
        (checks.check_admin, ("root", None), "At.field.admin_user: 'root'"),
        (
            checks.check_admin,
            ("azureuser", "ssh-dss AAAA"),
            "At.field.ssh_key: Azure does not accept keys of type ssh-dss",
        ),
        (checks.check_admin, ("azureuser", "AAAA"), "At.field.ssh_key: this is not a public SSH key; use the line"),
        (checks.check_tags, (Tags("cfd", {"a<b": "c"}),), "At.field.extra: 'a<b'"),
        (checks.check_tags, (Tags("cfd", {"a": "c" * 257}),), "At.field.extra['a']"),
        (
            checks.check_tags,
            (Tags("cfd", {"Project": "1", "project": "2"}),),
            "'Project' and 'project' differ only in case, which Azure ignores",
        ),
    ],
)
def test_arguments_that_azure_would_refuse_are_refused(check, args, message):
    assert message in (said(check, *args) or "")
