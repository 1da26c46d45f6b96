import subprocess
import sys
from pathlib import Path

import pytest

import hpc_components.azure


def loaded_by(statement: str) -> set[str]:
    script = f"import sys\n{statement}\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    return set(run.stdout.split())


@pytest.mark.parametrize("name", hpc_components.azure.__all__)
def test_every_public_name_is_there(name):
    assert getattr(hpc_components.azure, name).__name__ == name


def test_importing_the_package_imports_no_sdk():
    loaded = loaded_by("import hpc_components.azure")
    assert not {name.partition(".")[0] for name in loaded} & {"pulumi", "pulumi_azure_native"}


def test_importing_one_component_imports_no_other():
    loaded = loaded_by("from hpc_components.azure import PlacementGroup")
    assert {name for name in loaded if name.startswith("hpc_components.azure.components.")} == {
        "hpc_components.azure.components.zone_argument",
    }
    assert {name for name in loaded if name.startswith("hpc_components.azure.fleet.")} == {
        "hpc_components.azure.fleet.placement_group",
    }
    assert not {name for name in loaded if name.startswith("hpc_components.azure.") and name.endswith(".component")}


def test_importing_components_imports_no_service_of_the_provider():
    """Each module takes up to a second to import, so a preview imports only those that it needs."""
    folder = Path(hpc_components.azure.__path__[0])
    paths = [path for path in folder.glob("*/*.py") if "import pulumi_azure_native" in path.read_text()]
    modules = [f"hpc_components.azure.{path.parent.name}.{path.stem}" for path in paths]
    assert len(modules) > 20
    loaded = loaded_by("\n".join(f"import {module}" for module in modules))
    assert "pulumi_azure_native" in loaded
    assert not {name for name in loaded if name.startswith("pulumi_azure_native.") and name.count(".") > 1}


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="'Vpcs'"):
        _ = hpc_components.azure.Vpcs


def test_dir_lists_the_public_names():
    assert dir(hpc_components.azure) == sorted(hpc_components.azure.__all__)
