"""Imports on demand give the SDK's own classes, and nothing else is different."""

import subprocess
import sys

import pytest

_COMPARE = """
import sys
from hpc_components.preview.recorder.sdk import sdk_on_demand
import importlib
with sdk_on_demand():
    sdk = importlib.import_module("{sdk}")
    package = getattr(sdk, "{service}")
    on_demand = {{name: getattr(package, name) for name in {names}}}
    loaded = [name for name in sys.modules if name.startswith("{sdk}.{service}.")]
print(len(loaded))
real = importlib.reload(importlib.import_module("{sdk}.{service}"))
for name, value in on_demand.items():
    assert getattr(real, name) is value, name
    assert value.__module__.startswith("{sdk}.{service}"), value
"""


@pytest.mark.parametrize(
    ("sdk", "service", "names"),
    [
        (
            "pulumi_aws",
            "ec2",
            ["Vpc", "LaunchTemplate", "LaunchTemplatePlacementArgs", "get_ami", "get_ami_output"],
        ),
        ("pulumi_aws", "s3", ["Bucket", "BucketArgs", "BucketLifecycleConfigurationRuleArgs"]),
        ("pulumi_aws", "lambda_", ["Function", "Invocation", "FunctionEnvironmentArgs"]),
        ("pulumi_gcp", "compute", ["Network", "InstanceTemplate"]),
        ("pulumi_azure_native", "network", ["VirtualNetwork", "AddressSpaceArgs"]),
    ],
)
def test_names_are_the_sdks_own_and_few_modules_are_loaded(sdk: str, service: str, names: list[str]) -> None:
    code = _COMPARE.format(sdk=sdk, service=service, names=names)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 20


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    code = (
        "from hpc_components.preview.recorder.sdk import sdk_on_demand\n"
        "with sdk_on_demand():\n"
        "    import pulumi_aws as aws\n"
        "    try: aws.ec2.LaunchTemplates\n"
        "    except AttributeError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "LaunchTemplates" in done.stdout


def test_outside_nothing_is_changed() -> None:
    code = (
        "import sys, gc\n"
        "from hpc_components.preview.recorder.sdk import sdk_on_demand\n"
        "before = list(sys.meta_path)\n"
        "with sdk_on_demand(): assert not gc.isenabled()\n"
        "assert sys.meta_path == before and gc.isenabled()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
