"""An order that may be over the quota, launched in parts. Pure."""

from hpc_components.elastic.plan.planner import Order

__all__ = ["OrderParts"]


class OrderParts:
    """The units of an order, smallest first. A part that is over the quota is halved, down to one unit."""

    def __init__(self, order: Order, over_quota: int | None = None) -> None:
        """`over_quota` is the size of an earlier launch that was over the quota: the first part is half as large."""
        self.left = order.nodes
        """Nodes that no part has brought yet."""
        self._sizes = order.sizes
        self._needs = order.needs
        self._units = len(order.sizes)
        """How many units the next part has."""
        self.done = False
        """Whether no part is left that could be within the quota."""
        if over_quota is not None:
            while self._units > 1 and sum(order.sizes[: self._units]) > over_quota // 2:
                self._units //= 2

    @property
    def nodes(self) -> tuple[str, ...]:
        """Of the next part."""
        return self.left[: sum(self.sizes)]

    @property
    def sizes(self) -> tuple[int, ...]:
        """Of the units of the next part."""
        return self._sizes[: self._units]

    @property
    def needs(self) -> int:
        """How many machines its first unit needs from the pool in all."""
        return self._needs[0]

    @property
    def minimum(self) -> int:
        """The fewest machines with which a unit of the next part becomes whole."""
        return self._sizes[0]

    def answered(self, *, within_quota: bool) -> None:
        """The cloud has answered the part."""
        size = len(self.sizes)
        if within_quota:
            self.left = self.left[len(self.nodes) :]
            self._sizes, self._needs = self._sizes[self._units :], self._needs[self._units :]
        self.done = not self._sizes or (not within_quota and self._units == 1)  # what is left is as large, or larger
        self._units = max(1, size // 2)
