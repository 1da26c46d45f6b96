"""The bundle of a recipe: what is in it, and what changes it."""

import base64
import io
import tarfile
from typing import Any

import pytest
from boot.azure_stage import azure_spec
from boot.cluster import spec
from boot.gcp_stage import gcp_spec
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.boot import files as boot
from hpc_components.images import bundle as bundles
from hpc_components.images.bundle import bundle
from hpc_components.spec.cluster import ClusterSpec

QUEUE = {"name": "debug", "machine": "c7i.xlarge", "max": 4, "smt": False, "image": "cpu"}
EFA = {"name": "wide", "machine": "hpc7a.96xlarge", "max": 4, "smt": False}


def described(**more: Any) -> ClusterSpec:
    return spec(**{"images": {"cpu": {}}, "queues": [QUEUE], **more})


def unpacked(text: str) -> dict[str, str]:
    """The files in a bundle by path."""
    _, _, packed = text.partition("\nexit # files follow\n")
    with tarfile.open(fileobj=io.BytesIO(base64.b64decode(packed))) as archive:
        return {name.removeprefix("files/"): archive.extractfile(name).read().decode() for name in archive.getnames()}  # type: ignore[union-attr]


def facts(text: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in unpacked(text)["common/cluster.env"].splitlines())


def test_a_recipe_says_which_driver_of_nvidia_it_installs() -> None:
    gpu = {**QUEUE, "machine": "p5.48xlarge"}
    assert facts(bundle(described(queues=[gpu]), "cpu"))["HPC_IMAGE_NVIDIA"] == "''"
    made = described(queues=[gpu], images={"cpu": {"nvidia_driver": "580"}})
    assert facts(bundle(made, "cpu"))["HPC_IMAGE_NVIDIA"] == "580"


def test_a_recipe_that_does_not_exist_or_serves_no_node_is_refused() -> None:
    with pytest.raises(ValueError, match="no recipe 'gpu' in images; use one of cpu"):
        bundle(described(), "gpu")
    with pytest.raises(ValueError, match="no node uses the recipe 'cpu'"):
        bundle(described(queues=[{**QUEUE, "image": None}]), "cpu")


@pytest.mark.parametrize("make", [spec, azure_spec, gcp_spec])
def test_a_bundle_has_the_files_of_a_bake_and_no_other(make: Any) -> None:
    plain = make()
    cluster = make(
        images={"cpu": {}}, head_node={**plain.head_node.model_dump(exclude_defaults=True), "image": "cpu"}
    )
    text = bundle(cluster, "cpu")
    found = unpacked(text)
    assert {"boot/image.sh", "image/seal.sh", "common/run.sh", "common/cloud.sh", "manifest"} <= set(found)
    assert not [
        path for path in found if path.startswith(("head/", "login/", "compute/")) or path.endswith((".py", ".b64"))
    ]
    assert len(text) < 120_000
    assert text == bundle(cluster, "cpu")
    assert max(map(len, text.splitlines())) < 200, "text editors and consoles show it"


other = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(["lab", "other"]),
        "network": st.sampled_from(
            [{"cidr": "10.91.0.0/16"}, {"cidr": "10.90.0.0/16", "ssh_from": ["192.0.2.0/24"]}]
        ),
        "budget": st.just({"monthly": 100, "notify": ["a@example.org"]}),
        "buckets": st.just({}),
        "tags": st.just({"owner": "us"}),
        "login_nodes": st.sampled_from([None, {"machine": "m7i.xlarge"}]),
        "head_node": st.just({"machine": "m7i.xlarge", "image": "ami-0123456789abcdef0"}),
        "queues": st.lists(
            st.sampled_from([EFA, {"name": "large", "machine": "c7i.48xlarge", "max": 1, "fabric": False}]),
            unique_by=str,
        ).flatmap(lambda more: st.integers(1, 9).map(lambda most: [{**QUEUE, "max": most}, *more])),
        "slurm": st.sampled_from(
            [{"version": "24.11"}, {"version": "24.11", "accounting": {"accounts": {"physics": {}}}}]
        ),
    },
)


@given(more=other)
def test_what_a_bake_does_not_read_leaves_the_bundle_as_it_is(more: dict[str, Any]) -> None:
    assert bundle(described(**more), "cpu") == bundle(described(), "cpu")


CHANGES: dict[str, dict[str, Any]] = {
    "Slurm": {"slurm": {"version": "23.11"}},
    "system": {"os": "ubuntu-24.04"},
    "source": {"slurm": {"version": "24.11", "package_source": "https://packages.example.org/slurm"}},
    "head too": {"head_node": {"machine": "m7i.large", "image": "cpu"}},
    "login nodes too": {"login_nodes": {"machine": "m7i.large", "image": "cpu"}},
    "fabric": {"queues": [QUEUE, {**EFA, "image": "cpu"}]},
    "EESSI": {"software": {"eessi": {}}},
    "script": {"scripts": {"agent": {"at": "image", "text": "#!/bin/sh\n"}}},
    "people": {"people": {"users": {"ada": {"uid": 2001}}}},
    "Lustre": {
        "storage": {"scratch": {"type": "lustre", "mount": "/fsx", "size": "1.2TiB", "deployment": "scratch_2"}}
    },
}


def test_what_a_bake_reads_changes_the_bundle() -> None:
    made = {name: bundle(described(**more), "cpu") for name, more in {"as it is": {}, **CHANGES}.items()}
    assert len(set(made.values())) == len(made)


def test_only_scripts_of_the_recipe_are_in_its_bundle() -> None:
    script = {"at": "image", "text": "#!/bin/sh\n", "time_limit": "2m"}
    scripts = {"all": script, "own": {**script, "on": ["cpu"]}, "other": {**script, "on": ["gpu"]}}
    found = unpacked(bundle(described(scripts=scripts), "cpu"))
    assert found["image/scripts.list"] == "cpu all 120 - -\ncpu own 120 - -\n"
    assert {path for path in found if path.startswith("image/scripts/")} == {"image/scripts/all", "image/scripts/own"}


def test_a_bundle_with_eessi_knows_no_address_of_the_cluster() -> None:
    found = unpacked(bundle(described(software={"eessi": {}}), "cpu"))
    assert found["common/eessi/facts.env"].startswith("EESSI_RELEASE_PACKAGE=")
    assert "10.90." not in "".join(found.values())


def test_people_who_come_and_go_do_not_change_the_bundle() -> None:
    one, two = ({"users": {name: {"uid": 2001 + len(name)}}} for name in ("ada", "grace"))
    assert bundle(described(people=one), "cpu") == bundle(described(people=two), "cpu")


def test_a_changed_step_changes_the_bundle(monkeypatch: pytest.MonkeyPatch) -> None:
    before = bundle(described(), "cpu")
    scripts = bundles.packaged_scripts

    def changed(package: str) -> dict[str, str]:
        return {
            path: text + ("# changed\n" if path == "common/apt.sh" else "") for path, text in scripts(package).items()
        }

    monkeypatch.setattr(bundles, "packaged_scripts", changed)
    assert bundle(described(), "cpu") != before


def test_facts_follow_from_who_uses_the_recipe() -> None:
    everyone = {"machine": "m7i.large", "image": "cpu"}
    cluster = described(head_node=everyone, login_nodes=everyone, queues=[QUEUE, EFA])
    its = facts(bundle(cluster, "cpu"))
    assert its["HPC_IMAGE_ROLES"] == "'head login compute'"
    assert (its["HPC_FABRIC"], its["HPC_IMAGE_FABRIC"]) == ("yes", "users"), (
        "people compile for EFA; these nodes have none"
    )
    assert (its["HPC_USERS_ON"], its["HPC_ACCOUNTING"]) == ("login", "local")
    its = facts(bundle(described(queues=[QUEUE, {**EFA, "image": "cpu"}]), "cpu"))
    assert (its["HPC_FABRIC"], its["HPC_IMAGE_FABRIC"]) == ("yes", "image")
    assert (its["HPC_USERS_ON"], its["HPC_ACCOUNTING"]) == ("''", "none")


def test_the_files_of_a_cluster_do_not_depend_on_its_recipes() -> None:
    """Else a changed recipe would restart what head nodes run."""
    with_recipe, without = boot.boot_files(described()), boot.boot_files(spec())
    assert not [path for path in with_recipe if path.startswith("image/")]
    assert {path for path in with_recipe if with_recipe[path] != without.get(path)} <= {"common/cluster.json"}


def test_software_of_nodes_is_part_of_their_image() -> None:
    software = {"eessi": {}, "easybuild": {"install": ["zlib-1.3.1.eb"]}, "modules": ["/shared/modules"]}
    plain, with_software = bundle(described(), "cpu"), bundle(described(software=software), "cpu")
    assert (facts(plain)["HPC_IMAGE_BUILDS"], facts(with_software)["HPC_IMAGE_BUILDS"]) == ("no", "yes")
    assert "common/eessi/facts.env" in set(unpacked(with_software)) - set(unpacked(plain))


def test_an_image_stays_the_same_with_other_software_to_build() -> None:
    def of(**software: Any) -> str:
        return bundle(described(software=software), "cpu")

    assert of(eessi={}) == of(eessi={"version": "2023.06", "cache": "20GiB"})
    one, other = ({"install": [name]} for name in ("zlib-1.3.1.eb", "OpenFOAM-13-foss-2025a.eb"))
    assert of(easybuild=one) == of(easybuild=other)


def test_bundle_changes_with_the_source_of_slurm(monkeypatch: pytest.MonkeyPatch) -> None:
    """A recipe is the way out for nodes that would build Slurm at boot."""
    built = described(slurm={"version": "25.11", "from_source": True})
    before = bundle(built, "cpu")
    assert unpacked(before)["common/slurm_source"].startswith("25.11.8 ")
    assert "common/slurm_source.sh" in unpacked(before)
    monkeypatch.setattr(bundles, "slurm_source_files", lambda _: {"common/slurm_source": "25.11.9 sum address\n"})
    assert bundle(built, "cpu") != before


@pytest.mark.parametrize(("os", "has", "lacks"), [("rocky-9", "dnf", "apt"), ("debian-13", "apt", "dnf")])
def test_bundle_has_the_steps_of_its_family_alone(os: str, has: str, lacks: str) -> None:
    found = unpacked(bundle(described(os=os, slurm={"version": "25.11", "from_source": True}), "cpu"))
    assert f"common/{has}.sh" in found
    assert f"common/{lacks}.sh" not in found
