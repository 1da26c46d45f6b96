"""Launches under way on the virtual clock: some are answered at once, some after half a minute."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from hpc_components.elastic.act.calls import Call, LaunchCalls
from hpc_components.elastic.model import Instance

if TYPE_CHECKING:
    from elastic.simulation.world import World


class SlowCalls(LaunchCalls):
    """A slow one is carried out when it is made or when it is answered."""

    def __init__(self, world: "World") -> None:
        super().__init__()
        self.world = world
        self.waiting: list[tuple[float, bool, Call, Callable[[], Sequence[Instance]]]] = []
        """Due at, whether it was carried out, and what."""

    def new_token(self) -> str:
        return f"{self.world.tokens.getrandbits(128):032x}"

    def start(self, call: Call, launch: Callable[[], Sequence[Instance]]) -> None:
        world = self.world
        world.judge.look_at_call(call)
        self._under_way[call.entry.launch.pool] = call
        due, slow = world.now, world.cloud.faults.slow
        if slow and world.random.random() < slow:
            due += world.random.uniform(1, 30)
            world.say(f"    slow: {call.entry.launch.nodes} from {call.entry.launch.pool}")
        early = world.random.random() < 0.5
        if early:
            self._run(call, launch)
        self.waiting.append((due, early, call, launch))

    def _next(self, patience: float) -> tuple[Call, Sequence[Instance], BaseException | None] | None:
        world = self.world
        if not self.waiting:
            return None
        first = min(self.waiting, key=lambda each: each[0])
        due, early, call, launch = first
        if due > world.now + patience:
            if patience:
                world.pass_time(patience)
            return None
        if due > world.now:
            world.pass_time(due - world.now)
        self.waiting.remove(first)
        if not early:
            self._run(call, launch)
        return self._take(call)

    def _take(self, call: Call) -> tuple[Call, Sequence[Instance], BaseException | None]:
        """Its answer, whatever else has been carried out."""
        others = []
        while True:
            found = self._done.get_nowait()
            if found[0] is call:
                break
            others.append(found)
        for each in others:
            self._done.put(each)
        return found

    def abandon(self) -> None:
        """Whoever made the calls is dead; some are carried out nevertheless."""
        for due, early, call, _ in self.waiting:
            if not early and self.world.random.random() < 0.5:
                self.world.cloud.late.append((due, call.entry.launch))
        self.waiting.clear()
