import subprocess
import sys

import pytest

import hpc_components.gcp


def loaded_by(statement: str) -> set[str]:
    script = f"import sys\n{statement}\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    return set(run.stdout.split())


@pytest.mark.parametrize("name", hpc_components.gcp.__all__)
def test_every_public_name_is_there(name):
    assert getattr(hpc_components.gcp, name).__name__ == name


def test_importing_the_package_imports_no_sdk():
    loaded = loaded_by("import hpc_components.gcp")
    assert not {name.partition(".")[0] for name in loaded} & {"pulumi", "pulumi_gcp"}


def test_importing_one_component_imports_no_other():
    loaded = loaded_by("from hpc_components.gcp import DataBucket")
    components = (
        "hpc_components.gcp.components.",
        "hpc_components.gcp.home.component",
        "hpc_components.gcp.lustre.component",
    )
    assert "hpc_components.gcp.data_bucket.component" in loaded
    assert not [name for name in loaded if name.startswith(components)]


def test_importing_components_imports_no_service_of_the_provider():
    loaded = loaded_by("from hpc_components.gcp import DataBucket, HomeFilesystem, LustreFilesystem, Vpc")
    assert not {name for name in loaded if name.startswith("pulumi_gcp.") and name.count(".") > 1}


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="'Vpcs'"):
        _ = hpc_components.gcp.Vpcs


def test_dir_lists_the_public_names():
    assert dir(hpc_components.gcp) == sorted(hpc_components.gcp.__all__)
