"""Model of the checks of nodes' health."""

from collections.abc import Mapping

from hpc_components.catalog.health_checks import health_checks
from hpc_components.spec.model import Flag, Model
from hpc_components.spec.values import Duration


class Health(Model):
    """Checks of compute nodes: at boot, around jobs, and while they are idle. A node that fails one is drained, and
    its machine is replaced when the node's jobs have ended."""

    enabled: Flag = True
    """Whether nodes run any checks of this package."""
    interval: Duration = Duration.parse("5m")
    """Time between two looks at an idle node."""
    checks: Mapping[str, Flag] = {}
    """Checks to switch on or off, by name, e.g. `clock: false`. Default: all but `dcgm` run."""

    @property
    def running(self) -> tuple[str, ...]:
        """Names of the checks that run, in their order."""
        if not self.enabled:
            return ()
        return tuple(name for name, check in health_checks().items() if self.checks.get(name, check.default))
