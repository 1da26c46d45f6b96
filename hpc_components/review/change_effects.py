from enum import StrEnum


class Effect(StrEnum):
    """The effects, worst first. `review.wording` describes them for reports."""

    DATA_LOST = "data_lost"
    """Data is deleted, unless it is saved first."""
    LEFT_BEHIND = "left_behind"
    """Data stays in the cloud, but the cluster can't reach it, so users can't use it until it is copied."""
    REFUSED = "refused"
    """The cloud refuses the change in the middle of an update."""
    NODES_END = "nodes_end"
    """A queue's nodes are terminated, either along with their jobs or after the jobs end."""
    FILES_AWAY = "files_away"
    """A file system is temporarily unreachable, but keeps its data."""
    HEAD_REPLACED = "head_replaced"
    """A new head node takes over; jobs keep running, but sessions on the old head node end."""
    HEAD_RESTARTS = "head_restarts"
    """The head node restarts; jobs keep running, but no jobs can be submitted in the meantime."""
    SESSIONS_CUT = "sessions_cut"
    """Users on login nodes lose their sessions."""
    UNPROTECTED = "unprotected"
    """The resource is no longer protected or retained, so the next destroy deletes it."""
    UNKNOWN = "unknown"
    """The provider decides at run time, or no source documents the effect."""
    KEPT = "kept"
    """An input is removed, but the provider keeps its value, so the change has no effect."""
    ACCESS = "access"
    """Permissions or network access change."""
    SLURMCTLD_RESTARTS = "slurmctld_restarts"
    """Slurm's controller restarts or reloads its configuration; jobs keep running."""
    NEW_NODES = "new_nodes"
    """Only machines launched after the change are affected; running machines are not."""
    LIVE = "live"
    """Nothing that is already running is affected."""

    @property
    def rank(self) -> int:
        """Position in the list of effects; 0 is the worst."""
        return list(Effect).index(self)
