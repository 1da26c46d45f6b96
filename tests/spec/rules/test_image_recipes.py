"""Recipes of images: their names, their nodes, and what rules see of their bases."""

from hpc_components.spec.node_images import images
from tests.spec.rules.judged import cluster, paths, problems, queue

BASE = "ami-0123456789abcdef0"


def test_image_is_a_recipe_only_if_images_has_it():
    made = cluster(images={"cpu": {"base": BASE}, "plain": {}})
    assert [made.recipe_of(image) for image in ("cpu", "plain", BASE, None)] == ["cpu", "plain", None, None]
    assert [made.base_of(image) for image in ("cpu", "plain", "ami-1", None)] == [BASE, None, "ami-1", None]


def test_rules_see_the_base_of_a_recipe():
    made = cluster(images={"cpu": {"base": BASE}}, queues=[queue(image="cpu")])
    assert [base.id for base in images(made)] == [None, BASE]
    assert paths("HPC-OSI-004", images={"cpu": {"base": "x"}}, queues=[queue(image="cpu")]) == ["images.cpu.base"]


def test_unused_recipe_is_reported():
    assert paths("HPC-IMG-002", images={"cpu": {}, "old": {}}, queues=[queue(image="cpu")]) == ["images.old"]


def test_misspelt_recipe_has_the_nearest_name_as_remedy():
    (problem,) = problems("HPC-IMG-003", images={"compute": {}}, queues=[queue(image="compte")])
    assert problem.remedy == "did you mean compute?"
    assert paths("HPC-OSI-004", images={"compute": {}}, queues=[queue(image="compte")]) == []
    assert paths("HPC-OSI-004", queues=[queue(image="compte")]) == ["queues[0].image"]


def test_nodes_with_one_recipe_may_differ_in_size_but_not_in_kind():
    def same(*machines: str) -> list[str]:
        fleet = [queue(name=f"q{at}", machine=name, image="one") for at, name in enumerate(machines)]
        return paths("HPC-IMG-004", images={"one": {}}, queues=fleet)

    assert same("c7i.4xlarge", "m7i.large") == []
    assert same("c7i.4xlarge", "c7g.4xlarge") == ["queues[1].image"]
    assert same("g6.4xlarge", "c7i.4xlarge") == ["queues[1].image"]


def test_head_node_with_a_recipe_is_reminded_of_its_replacement():
    with_recipe = {"images": {"head": {}}, "head_node": {"machine": "c6i.xlarge", "image": "head"}}
    assert paths("HPC-IMG-007", **with_recipe) == ["head_node.image"]
    assert paths("HPC-IMG-007", images={"cpu": {}}, queues=[queue(image="cpu")]) == []


def test_base_of_a_recipe_does_not_float():
    gpu = {"machine": "g6.4xlarge", "name": "gpu"}
    assert paths("HPC-OSI-008", queues=[queue(**gpu)]) == ["queues[0].machine"]
    assert paths("HPC-OSI-008", images={"gpu": {}}, queues=[queue(**gpu, image="gpu")]) == []


def test_remedy_for_an_old_base_names_the_base():
    head, cpu = problems("HPC-OSI-024", images={"cpu": {}}, queues=[queue(image="cpu")])
    assert head.remedy.startswith("set image to")
    assert cpu.remedy.startswith("set images.cpu.base to")
