"""Tags are written as each cloud writes them, and looked for so."""

import ast
from importlib import import_module
from pathlib import Path

import pulumi_gcp as gcp
import pytest
from pulumi import Output

from clouds.toy.catalog.labels import label_key, label_value
from clouds.toy.tags import Tags as ToyTags
from hpc_components.aws.tags import Tags as AwsTags
from hpc_components.cloud import CLOUDS
from hpc_components.gcp.tags import Tags as GcpTags
from hpc_components.preview.recording import RecordedResource, Recording
from hpc_components.testing import assert_tagged

PLAIN = {"Project": "Wing", "Name": "cfd-head", "ClusterName": "cfd", "hpc:role": "head"}


def test_aws_takes_tags_as_they_are() -> None:
    assert AwsTags("cfd", {"Project": "Wing"}).for_resource("cfd-head", role="head") == PLAIN


def test_the_toy_has_labels() -> None:
    assert ToyTags("cfd", {"Project": "Wing"}).for_resource("cfd-head", role="head") == {
        "project": "wing",
        "name": "cfd-head",
        "cluster_name": "cfd",
        "hpc_role": "head",
    }


@pytest.mark.parametrize("package", [*CLOUDS.values(), "clouds.toy"])
def test_modules_of_a_cloud_use_its_own_tags(package: str) -> None:
    folder = Path(str(import_module(package).__file__)).parent
    imports = {
        (file.relative_to(folder).as_posix(), statement.module)
        for file in folder.rglob("*.py")
        for statement in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(statement, ast.ImportFrom) and "Tags" in {alias.name for alias in statement.names}
    }
    assert "tags.py" in {file for file, _ in imports}
    assert [each for each in sorted(imports) if each[0] != "tags.py" and each[1] != f"{package}.tags"] == []


@pytest.mark.parametrize("tags", [AwsTags, GcpTags, ToyTags])
def test_what_is_encoded_stays_as_it_is(tags: type[AwsTags]) -> None:
    once = tags.encode(PLAIN)
    assert tags.encode(once) == once


def test_a_label_is_cut_where_it_is_too_long() -> None:
    assert len(label_key("K" * 100)) == len(label_value("x" * 100)) == 63


def test_a_value_that_only_the_cloud_knows_is_encoded_when_it_is_known() -> None:
    assert isinstance(ToyTags("cfd").for_resource("x", config=Output.from_input("Bucket"))["hpc_config"], Output)


def recording(labels: dict[str, str]) -> Recording:
    disk = RecordedResource(urn="u", type="gcp:compute/disk:Disk", name="disk", inputs={"labels": labels})
    return Recording(project="p", stack="s", resources=(disk,))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the SDK's own classes, told at import
@pytest.mark.usefixtures("toy")
def test_a_users_test_names_tags_in_plain_words() -> None:
    assert gcp.compute.Disk  # a program has imported what it makes
    labelled = recording({"cluster_name": "cfd", "project": "wing", "hpc_role": "head"})
    assert_tagged(labelled)
    assert_tagged(labelled, "hpc:role", "head")
    assert_tagged(labelled, "Project", "Wing")
    with pytest.raises(AssertionError, match="without the tag Project=Fin"):
        assert_tagged(labelled, "Project", "Fin")
    with pytest.raises(AssertionError, match="without the tag ClusterName"):
        assert_tagged(recording({"ClusterName": "cfd"}))
