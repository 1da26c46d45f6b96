"""Extracts from a cycle what the ledger needs to know."""

from collections.abc import Collection, Mapping

from hpc_components.elastic.decide.reconcile import REGISTERED, ClusterView, NodeView
from hpc_components.elastic.decide.table import ALIVE, Action, CloudState
from hpc_components.elastic.ledger.news import Sighting
from hpc_components.elastic.model import Instance
from hpc_components.elastic.slurm.node_states import NOT_RESPONDING, SlurmState

_WHYS = {Action.TERMINATE: "idle", Action.REPLACE: "replaced", Action.TERMINATE_AND_POWER_DOWN: "failed"}
_BOOT_SLACK_SECONDS = 60.0
"""Maximum clock error of a machine that has just started."""
_RESPONDING = frozenset({*NOT_RESPONDING, SlurmState.DRAINED})


def sighting(
    view: ClusterView,
    instances: Collection[Instance],
    answered: Collection[Instance],
    terminated: Mapping[str, float],
) -> Sighting:
    """Return what a cycle has seen and done.

    `answered` contains the machines from answers to launches, and `terminated` maps the ids of machines to the time
    at which the cloud answered the request to terminate them.
    """
    own = [this for this in view.seen.values() if this.machine]
    return Sighting(
        now=view.now,
        instances=instances,
        answered=answered,
        terminated=dict(terminated),
        whys={
            this.machine.id: _WHYS[action]
            for this in own
            if this.machine and (action := view.rows[this.name].action) in _WHYS
        },
        registered={this.machine.id for this in own if this.machine and _has_registered(this)},
        responding={
            this.name
            for this in view.seen.values()
            if this.cloud in (CloudState.MISSING, CloudState.NONE) and this.slurm in _RESPONDING
        },
    )


def _has_registered(this: NodeView) -> bool:
    if this.machine is None or this.node is None or this.slurm not in REGISTERED or this.cloud not in ALIVE:
        return False
    booted = this.node.booted_at
    return not booted or this.machine.launched <= booted + _BOOT_SLACK_SECONDS
