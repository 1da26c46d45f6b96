"""Programs that steps call before packages are installed, by the Python of the image: 3.9 on Red Hat's family."""

import ast
from importlib.resources import files

import pytest

EARLY = (
    ("gcp", ("google_node", "google_rest", "google_secrets")),
    ("azure", ("azure", "azure_logs", "azure_rest", "azure_vault")),
)


@pytest.mark.parametrize(
    ("cloud", "name"), [(cloud, name) for cloud, names in EARLY for name in names], ids=lambda each: each
)
def test_early_program_runs_on_python_3_9(cloud: str, name: str) -> None:
    """Annotations such as `str | None` are not evaluated, and no statement or argument is newer."""
    text = (files(f"hpc_components.{cloud}.boot") / f"scripts/common/{name}.py").read_text()
    tree = ast.parse(text, feature_version=(3, 9))
    assert isinstance(tree.body[1], ast.ImportFrom)
    assert tree.body[1].module == "__future__"
    arguments = [each for each in ast.walk(tree) if isinstance(each, ast.keyword)]
    assert not {each.arg for each in arguments} & {"strict", "slots", "kw_only"}
