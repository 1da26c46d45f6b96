"""Defines the `hpc` command. Each subcommand imports only what it needs."""

import click

from hpc_components import __version__
from hpc_components.cli.accepting import accept
from hpc_components.cli.auditing import audit
from hpc_components.cli.baking import image
from hpc_components.cli.billing import bill
from hpc_components.cli.command import Group
from hpc_components.cli.comparing import compare
from hpc_components.cli.converting import convert
from hpc_components.cli.costing import cost
from hpc_components.cli.doctoring import doctor
from hpc_components.cli.documenting import docs
from hpc_components.cli.enforcing import policy_pack
from hpc_components.cli.forecasting import forecast
from hpc_components.cli.imaging import images
from hpc_components.cli.job_using import job
from hpc_components.cli.judging import rules, schema, validate
from hpc_components.cli.looking import completion, machines
from hpc_components.cli.output import prepare_streams
from hpc_components.cli.planning import preview
from hpc_components.cli.preflighting import preflight
from hpc_components.cli.queueing import start, stop
from hpc_components.cli.reaching import copy, run, ssh
from hpc_components.cli.refreshing import catalog
from hpc_components.cli.rehearsing import rehearse
from hpc_components.cli.rendering import render
from hpc_components.cli.reviewing import diff
from hpc_components.cli.starting import init
from hpc_components.cli.watching import logs, nodes, status


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", message="hpc %(version)s")
def main() -> None:
    """Plan, validate and rehearse HPC clusters without a cloud, and reach running ones.

    \b
    Examples:
      hpc init                          describe a first cluster
      hpc convert pcluster.yaml         convert an AWS ParallelCluster configuration
      hpc validate                      validate every stack of this project
      hpc preview aws-cfd               show a stack's resources, cost and quotas
      hpc preflight aws-cfd             ask the cloud whether the cluster can be created there
      hpc diff main                     show how the changes since main affect each cluster
      hpc compare aws-cfd azure-hbv4    compare machines and cost side by side
      hpc cost aws-cfd                  show a cluster's cost per core-hour and per month
      hpc bill export.tar.gz            show what a cluster cost, by organization or user
      hpc forecast aws-cfd --jobs FILE  show what last month's jobs would cost and wait
      hpc rehearse aws-cfd              run a cluster on this machine, with real Slurm
      hpc accept aws-cfd                prove a running cluster, and write a report
      hpc status aws-cfd                show queues, waiting jobs, failed launches and costs of a running cluster
      hpc doctor aws-cfd                say what is wrong with a running cluster, why, and what to type
      hpc audit aws-cfd                 show who logged in, who became root and who changed a running cluster
      hpc job aws-cfd 4711              show what a job used of what it asked for
      hpc ssh aws-cfd gpu-7             log in to a node, by whatever way the cluster has
      hpc machines --cloud aws          list AWS's machine types, cheapest core first
      hpc images aws-cfd                show which images the nodes boot from, and what they lack
      hpc image bundle aws-cfd cpu      print the script that makes an image of your own
      hpc docs queues.purchase          explain one key of a description
      hpc rules HPC-NET-003             explain one rule
    """
    prepare_streams()


for command in (
    init, convert, validate, preview, preflight, diff, compare, cost, bill, forecast, render, rehearse, accept,
    status, nodes, doctor, job, logs, audit, ssh, run, copy, stop, start, machines, images, image, catalog, docs,
    rules, policy_pack, schema, completion,
):  # fmt: skip
    main.add_command(command)
