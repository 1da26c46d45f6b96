from hpc_components.elastic.plan.planner import Order


class OrderParts:
    """The parts of an order that may exceed the quota. Each part has half as many units as the previous part, but at
    least one unit.
    """

    def __init__(self, order: Order, over_quota: int | None = None) -> None:
        """Start with all units of an order, smallest first.

        If an earlier launch exceeded the quota, `over_quota` is its size. The first part is then at most half that
        size, but has at least one unit.
        """
        self.left = order.nodes
        """Nodes that have not been launched yet."""
        self._sizes = order.sizes
        self._needs = order.needs
        self._units = len(order.sizes)
        """Number of units in the next part."""
        self.done = False
        """Whether nothing more can be launched within the quota."""
        if over_quota is not None:
            while self._units > 1 and sum(order.sizes[: self._units]) > over_quota // 2:
                self._units //= 2

    @property
    def nodes(self) -> tuple[str, ...]:
        return self.left[: sum(self.sizes)]

    @property
    def sizes(self) -> tuple[int, ...]:
        return self._sizes[: self._units]

    @property
    def needs(self) -> int:
        """Total number of machines that the next part's first unit needs from the pool."""
        return self._needs[0]

    @property
    def minimum(self) -> int:
        """Minimum number of machines needed to complete a unit of the next part."""
        return self._sizes[0]

    def answered(self, *, within_quota: bool) -> None:
        size = len(self.sizes)
        if within_quota:
            self.left = self.left[len(self.nodes) :]
            self._sizes, self._needs = self._sizes[self._units :], self._needs[self._units :]
        self.done = not self._sizes or (
            not within_quota and self._units == 1
        )  # the remaining units are at least as large, so they would exceed the quota as well
        self._units = max(1, size // 2)
