import pulumi
import pulumi_gcp as gcp
from both_modes import checked_preview

from clouds.gcp.sample import SERVICES, TAGS
from hpc_components.gcp.node_reaper.component import NodeReaper, NodeReaperArgs
from hpc_components.preview.record import Recording


def recorded() -> Recording:
    def program() -> None:
        head = gcp.compute.Address("cfd-head")
        args = NodeReaperArgs(config=SERVICES.config, tags=TAGS)
        NodeReaper("cfd-reaper", args, pulumi.ResourceOptions(depends_on=[head]))

    return checked_preview(program)


def test_an_object_says_that_the_cluster_is_to_be():
    """A head node that shuts down looks for it; a destroy has deleted it by then."""
    made = recorded().one("gcp:storage/bucketObject:BucketObject")
    assert (made.inputs["bucket"], made.inputs["name"]) == ("cfd-config-1c09", "cluster")
    assert made.inputs["source"]["asset"]["text"] == "cfd\n"
    assert not made.retain, "a destroy must delete it"
    assert made.delete_before_replace, "the old one is deleted by its name, which is the new one's too"


def test_it_is_made_after_the_head_node_and_so_deleted_before_it():
    made = recorded()
    (reaper,) = made.all("hpc:gcp:NodeReaper")
    assert reaper.depends_on == (made.one("gcp:compute/address:Address").urn,)
