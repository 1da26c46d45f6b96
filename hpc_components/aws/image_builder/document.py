from typing import Any

from pulumi import Output

from hpc_components.aws.ports import ConfigStore

BUNDLE = "/root/hpc-image.sh"
"""Where the machine that makes an image puts the bundle."""

BAKE_SECONDS, TEST_SECONDS = 5400, 1800
"""Time limits of the two steps. A step that takes longer fails."""


def component_document(config: ConfigStore, key: str, *, sha256: str, version: str) -> Output[str]:
    """Return what Image Builder's agent does: run the bundle's `bake` on the machine that becomes the image, and its
    `test` on a machine that boots from the image.

    A failed step ends the build, and the image is not distributed. Source: EC2 Image Builder user guide, "Use the
    AWSTOE component document framework" and "Action modules supported by AWSTOE component manager".
    """
    download = {
        "name": "Fetch",
        "action": "S3Download",
        "maxAttempts": 3,
        "inputs": [{"source": Output.concat("s3://", config.bucket, "/", key), "destination": BUNDLE}],
    }
    check = f"echo '{sha256}  {BUNDLE}' | sha256sum --check --quiet"

    def phase(name: str, step: str, seconds: int) -> dict[str, Any]:
        # the bundle is not part of the image
        run = f"trap 'rm -f {BUNDLE}' EXIT; {check} && HPC_IMAGE_VERSION={version} bash {BUNDLE} {step}"
        bash = {"name": "Run", "action": "ExecuteBash", "timeoutSeconds": seconds, "inputs": {"commands": [run]}}
        return {"name": name, "steps": [download, bash]}

    phases = [phase("build", "bake", BAKE_SECONDS), phase("test", "test", TEST_SECONDS)]
    return Output.json_dumps({"name": "hpc", "schemaVersion": 1.0, "phases": phases}, indent=1)
