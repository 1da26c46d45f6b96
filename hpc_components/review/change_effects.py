"""What a change means for those who use and run the cluster."""

from enum import StrEnum

__all__ = ["Effect"]


class Effect(StrEnum):
    """The effects, the worst first. Their words in a report are `review.wording`'s."""

    DATA_LOST = "data_lost"
    """Data goes, unless somebody saves it before."""
    LEFT_BEHIND = "left_behind"
    """Data stays in the cloud, but out of the cluster's reach: users have none of it until it is copied."""
    REFUSED = "refused"
    """The cloud refuses the change, in the midst of an update."""
    NODES_END = "nodes_end"
    """Nodes of a queue end, with their jobs or after them."""
    FILES_AWAY = "files_away"
    """A file system can't be reached for a while; its data stays."""
    HEAD_REPLACED = "head_replaced"
    """A new head node takes over; jobs keep running, sessions on it end."""
    HEAD_RESTARTS = "head_restarts"
    """The head node stops and starts; jobs keep running, nobody can submit meanwhile."""
    SESSIONS_CUT = "sessions_cut"
    """People on login nodes lose their sessions."""
    UNPROTECTED = "unprotected"
    """What Pulumi kept so far goes when the stack is destroyed."""
    UNKNOWN = "unknown"
    """The provider decides at run time, or no source says it."""
    KEPT = "kept"
    """The provider keeps the value of an input that is removed: the change has no effect."""
    ACCESS = "access"
    """Who may do or reach something changes."""
    SLURMCTLD_RESTARTS = "slurmctld_restarts"
    """Slurm's controller restarts or reads its configuration again; jobs keep running."""
    NEW_NODES = "new_nodes"
    """Machines launched from then on have it; those that run stay as they are."""
    LIVE = "live"
    """Nothing that runs notices."""

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return list(Effect).index(self)
