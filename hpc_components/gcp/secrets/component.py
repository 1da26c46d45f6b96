from dataclasses import dataclass, field

import pulumi
from pulumi import Output

from hpc_components.component import Component
from hpc_components.gcp.arguments import checked_args
from hpc_components.gcp.ports import SecretRef
from hpc_components.gcp.secrets.node_secret import make_node_secret
from hpc_components.gcp.tags import Tags


@dataclass(frozen=True, kw_only=True)
@checked_args
class NodeSecretsArgs:
    """Arguments of `NodeSecrets`."""

    project: str
    """Id of the project."""
    tags: Tags = field(default_factory=Tags)
    """The cluster's tags. The names of the secrets begin with the cluster's name."""


class NodeSecrets(Component[NodeSecretsArgs]):
    """Three secrets that nodes share. They have no version at first: nodes create the values when they first boot."""

    munge: SecretRef
    """The key that Slurm's daemons use to authenticate to each other."""
    jwt: SecretRef
    """The key that signs Slurm's tokens."""
    host_keys: SecretRef
    """The SSH host keys that all login nodes share."""
    made: Output[str]
    """Creation times of the secrets, one per line, for a file in the config bucket. When the file changes, nodes
    store their keys in the recreated secrets."""

    def _make(self, name: str, args: NodeSecretsArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:gcp:NodeSecrets", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        made = {
            what: make_node_secret(name, what, project=args.project, tags=args.tags, opts=child)
            for what in ("munge", "jwt", "ssh-host")
        }
        self.munge, self.jwt, self.host_keys = (SecretRef(name=what, id=secret.id) for what, secret in made.items())
        lines = [Output.concat(f"{what} ", secret.create_time, "\n") for what, secret in made.items()]
        self.made = Output.concat(*lines)
        self.register_outputs({})
