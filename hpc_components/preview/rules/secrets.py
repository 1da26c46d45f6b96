from collections.abc import Iterator

from hpc_components.preview.resource_finding import ResourceFinding
from hpc_components.preview.resources import Resource
from hpc_components.preview.secret_looks import secrets_in
from hpc_components.spec.findings import Level
from hpc_components.spec.plan_rule import resource_rule


@resource_rule("HPC-PLN-022", Level.WARNING, asks_what_is_secret=True)
def no_plain_secret(resource: Resource) -> Iterator[ResourceFinding]:
    """Programs must not contain keys, tokens or passwords in plain text.

    Such secrets would be readable in the state, in previews and in pull-request comments. Only `hpc preview` applies
    this rule. The policy pack can't, because Pulumi passes even marked secrets to policies in plain text. Source:
    Pulumi documentation, "Secrets handling".
    """
    for path, look in secrets_in(resource.inputs):
        yield ResourceFinding(
            resource=resource,
            path=path,
            reason=f"this contains {look} in plain text",
            remedy="read the secret with config.require_secret, or better, keep it in the cloud's secret store",
        )
