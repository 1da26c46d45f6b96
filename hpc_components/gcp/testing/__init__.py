from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from hpc_components.gcp.testing.images import end_builders, listed_images
from hpc_components.gcp.testing.machines import reap
from hpc_components.testing.facts import StandIn, TypeFacts, read_types
from hpc_components.testing.stand_in_cloud import StandInCloud

_PROJECT, _NUMBER = "my-hpc-project", "123456789012"


class GcpStandIn(StandIn):
    default_region = "us-central1"
    environment = ("CLOUDSDK_", "GCLOUD_", "GCP_", "GOOGLE_")
    tags_input = "labels"
    other_tags_inputs: Mapping[str, str] = {
        "gcp:monitoring/notificationChannel:NotificationChannel": "userLabels",  # `labels` contains the email address
    }

    def types(self) -> Mapping[str, TypeFacts]:
        return _types()

    def field(self, name: str, region: str, inputs: Mapping[str, Any]) -> str | None:
        """Return the resource's project, or the provider's project if the resource doesn't specify one. Return None
        for any field other than `project`.
        """
        return str(inputs.get("project", _PROJECT)) if name == "project" else None

    def answers(self, region: str) -> Mapping[str, Mapping[str, Any]]:
        project = {"id": f"projects/{_PROJECT}", "projectId": _PROJECT, "number": _NUMBER, "name": _PROJECT}
        image = "projects/ubuntu-os-cloud/global/images/ubuntu-2404-noble-amd64-v20261101"
        return {
            "gcp:compute/getImage:getImage": {"id": image, "selfLink":
            f"https://www.googleapis.com/compute/v1/{image}"}, "gcp:compute/getZones:getZones": {"names":
            [f"{region}-{letter}" for letter in "abc"], "region": region},
            "gcp:organizations/getClientConfig:getClientConfig": { "id":
            f"projects/{_PROJECT}/regions/{region}/zones/", "project": _PROJECT, "region": region, },
            "gcp:organizations/getProject:getProject": project,
            # machines that make images have finished
            "gcp:compute/getInstance:getInstance": {"currentStatus": "TERMINATED"},
            "gcp:storage/getBucketObjects:getBucketObjects": {"bucketObjects": [{"name": "result"}]},
            "gcp:storage/getBucketObjectContent:getBucketObjectContent": {"content": "ok"},
        }  # fmt: skip

    def lists(self, cloud: StandInCloud) -> Mapping[str, Mapping[str, Any]]:
        return {"gcp:compute/getImages:getImages": {"images": listed_images(cloud)}}

    def happens(
        self, cloud: StandInCloud, type_: str, id_: str, inputs: Mapping[str, Any], *, action: str
    ) -> str | None:
        """Delete the compute nodes together with the head node, as a real head node does when the stack is
        destroyed. Delete the machines that make images, as they do themselves.
        """
        end_builders(cloud)
        if type_ == "gcp:compute/instance:Instance" and action == "delete":
            reap(cloud, inputs)
        return None


@cache
def _types() -> Mapping[str, TypeFacts]:
    return read_types(files(__name__).joinpath("data/types.json").read_text(encoding="utf-8"))


STAND_IN = GcpStandIn()
