import subprocess
import sys

import pytest

import hpc_components.aws


def loaded_by(statement: str) -> set[str]:
    script = f"import sys\n{statement}\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    return set(run.stdout.split())


@pytest.mark.parametrize("name", hpc_components.aws.__all__)
def test_every_public_name_is_there(name):
    assert getattr(hpc_components.aws, name).__name__ == name


def test_importing_one_component_imports_no_other():
    loaded = loaded_by("from hpc_components.aws import ClusterBudget")
    components = {name for name in loaded if name.startswith("hpc_components.aws.") and name.endswith(".component")}
    assert components == {"hpc_components.aws.budget.component"}


@pytest.mark.parametrize("name", ["Vpc", "SecurityGroups", "NodeIdentity", "EfaComputeFleet", "NodeReaper"])
def test_importing_a_component_imports_no_service_of_the_provider(name):
    loaded = loaded_by(f"from hpc_components.aws import {name}")
    assert not loaded & {"pulumi_aws.ec2.vpc", "pulumi_aws.iam.role", "boto3"}


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="'Vpcs'"):
        _ = hpc_components.aws.Vpcs
    with pytest.raises(AttributeError, match="'TagsArgs'"):
        _ = hpc_components.aws.TagsArgs


def test_dir_lists_the_public_names():
    assert dir(hpc_components.aws) == hpc_components.aws.__all__
