from importlib.util import find_spec

import click

from hpc_components.cli.command import Command, Refused, show


@click.command("policy-pack", cls=Command)
def policy_pack() -> None:
    """Print the path of a policy pack that lets Pulumi apply the plan rules to any stack.

    These are the rules that `hpc preview` reports as HPC-PLN-...; `hpc rules PLN` lists them. Errors stop the
    preview; warnings are only shown. Rules that a stack silences in hpc:cluster report nothing.

    \b
    Examples:
      hpc policy-pack
      pulumi preview --policy-pack "$(hpc policy-pack)"
      pulumi up --policy-pack "$(hpc policy-pack)" --policy-pack-config levels.json
      (levels.json: {"all": "mandatory", "HPC-PLN-001": "disabled"})
    """
    if find_spec("pulumi_policy") is None:
        raise Refused("Pulumi's policy SDK is not installed; run: pip install 'hpc-components[policy]'")
    from hpc_components.policy import PACK

    show(str(PACK))
