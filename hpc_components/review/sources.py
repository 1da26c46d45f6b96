"""Reads the sides that `hpc diff` compares (git refs, plan files or the working tree), and plans their stacks."""

import os
from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from hpc_components.preview.plan import Plan, UnreadablePlanError
from hpc_components.review.bytecode import has_package, lend_bytecode
from hpc_components.review.document import Review, Side
from hpc_components.review.make import failed_review, review
from hpc_components.review.planning import Failure, Place, Task, plan_all
from hpc_components.review.repository import Repository, SourceError, find_repository
from hpc_components.review.side_labels import WORKING_TREE
from hpc_components.spec.project import Project, find_project
from hpc_components.spec.source import UnreadableError
from hpc_components.user_files import MAX_DOCUMENT_BYTES, read_user_text
from hpc_components.wording import did_you_mean


def is_plan_file(name: str) -> bool:
    return name.endswith(".json")


@dataclass(frozen=True)
class Source:
    """One side of the comparison: a plan file, a commit or, if neither is specified, the working tree."""

    side: Side
    plan: Plan | None = None

    @classmethod
    def named(cls, name: str) -> "Source":
        """Return the plan file or ref with this name. Raise SourceError if it does not exist."""
        if is_plan_file(name):
            return cls(Side(source=name), _plan_in(Path(name)))
        repository = find_repository(Path.cwd())
        commit = repository.commit(name)
        if commit is None:
            raise repository.unknown(name)
        return cls(Side(source=name, commit=commit))

    @classmethod
    def working_tree(cls) -> "Source":
        return cls(Side(source=WORKING_TREE))


def head_and_stacks(words: Sequence[str], after_dashes: Sequence[str] | None) -> tuple[str | None, list[str]]:
    """Split the words after BASE into (HEAD or None, stacks).

    `after_dashes` contains the words after `--`, or is None if there is no `--`. Without `--`, the first word may be
    either HEAD or a stack, as with `git diff`. Raise SourceError if that word is both a ref and a stack.
    """
    if after_dashes is not None:
        if len(words) > 1:
            raise SourceError(f"only BASE and HEAD may come before --; if {words[1]!r} is a stack, move it after --")
        return (words[0] if words else None), list(after_dashes)
    if not words:
        return None, []
    first, *rest = words
    if is_plan_file(first):
        return first, rest
    repository = find_repository(Path.cwd())
    is_ref, is_stack = repository.commit(first) is not None, first in find_project().stacks
    if is_ref and is_stack:
        what = f"{first!r} is both a ref and a stack; put -- before the stacks"
        raise SourceError(f"{what}: `hpc diff BASE -- {first}` or `hpc diff BASE {first} --`")
    return (first, rest) if is_ref else (None, [first, *rest])


def reviews_of(before: Source, after: Source, stacks: Sequence[str] = ()) -> list[Review]:
    """Return the reviews of these stacks or, if none are named, of all stacks whose plans can differ, sorted by name.

    Raise SourceError if a stack exists on neither side. If a stack can't be planned, its review contains the error.
    """
    return [_review(pair, (before.side, after.side)) for pair in planned_pairs(before, after, stacks)]


@dataclass(frozen=True, kw_only=True)
class PlannedPair:
    """A stack's plans on both sides. A side without the stack has None."""

    stack: str
    project: str
    before: Plan | Failure | None
    after: Plan | Failure | None


def planned_pairs(before: Source, after: Source, stacks: Sequence[str] = ()) -> list[PlannedPair]:
    """Plan these stacks or, if none are named, all stacks whose plans can differ, sorted by name.

    Raise SourceError if a stack exists on neither side.
    """
    if before.plan and after.plan:
        _refuse_others(stacks, after.plan)
        plan = after.plan
        return [PlannedPair(stack=plan.stack, project=plan.project, before=before.plan, after=plan)]
    project = find_project()
    needs_git = before.side.commit or after.side.commit
    repository = find_repository(project.root) if needs_git else Repository(project.root)
    with ExitStack() as kept:
        places = _places((before, after), repository, project, kept)
        names = _chosen(before, after, places, stacks, repository)
        tasks = [[_task(place, name) for name in names] for place in places]
        plans = plan_all([task for side in tasks for task in side if task])
        found = []
        for name, one, other in zip(names, *tasks, strict=True):
            old = before.plan or (plans[one] if one else None)
            new = after.plan or (plans[other] if other else None)
            found.append(PlannedPair(stack=name, project=project.name, before=old, after=new))
        return found


def _plan_in(file: Path) -> Plan:
    try:
        return Plan.from_json(read_user_text(file, MAX_DOCUMENT_BYTES))
    except OSError as error:
        raise SourceError(f"{file} can't be read: {error.strerror}; specify a plan file or a git ref") from None
    except UnreadablePlanError as error:
        raise SourceError(f"{file}: {error}") from None
    except UnicodeDecodeError:
        raise SourceError(
            f"{file} is not UTF-8 text; create a plan file with `hpc preview STACK --format json --out FILE`"
        ) from None


def _places(
    sources: Sequence[Source], repository: Repository, project: Project, kept: ExitStack
) -> list[Place | None]:
    """Make each source's files available until `kept` is closed.

    The place of a plan file is None. Commits are checked out in parallel.
    """

    def place(source: Source) -> Place | None:
        return None if source.plan else kept.enter_context(_place(source, repository, project))

    with ThreadPoolExecutor() as threads:
        return list(threads.map(place, sources))


@contextmanager
def _place(source: Source, repository: Repository, project: Project) -> Generator[Place]:
    """Make a source's files available. For a commit, the stack folder is the one configured in that commit."""
    commit = source.side.commit
    if not commit:
        yield Place(repository.root, project.root, project.stack_dir)
        return
    below = project.root.relative_to(repository.root.resolve())
    with repository.checked_out(commit) as tree:
        if has_package(tree):
            lend_bytecode(repository.root, tree, repository.differing(commit, None))
        folder = (tree / below).resolve()
        try:
            then = find_project(folder)
        except UnreadableError:
            yield Place(tree, folder, folder)  # the project did not exist yet, so there are no stacks
            return
        found = Place(tree, then.root, then.stack_dir)
        _stack_folder(found)
        yield found


def _stack_folder(place: Place) -> Path:
    """Return the path of the stack folder, relative to the repository. Raise SourceError if the folder is outside the
    repository.
    """
    folder, tree = place.stack_dir.resolve(), place.tree.resolve()
    if not folder.is_relative_to(tree):
        where = os.path.relpath(folder, place.project.resolve())
        raise SourceError(
            f"the stack files are outside the repository (in {where}, relative to Pulumi.yaml), so git has no "
            "earlier versions; compare plan files instead (create them with `hpc preview STACK --format json "
            "--out FILE`)"
        )
    return folder.relative_to(tree)


def _task(place: Place | None, stack: str) -> Task | None:
    return Task(place, stack) if place and stack in _stacks(place) else None


def _stacks(place: Place) -> tuple[str, ...]:
    return Project(root=place.project, name="", main=place.project, stack_dir=place.stack_dir).stacks


def _chosen(
    before: Source, after: Source, places: Sequence[Place | None], stacks: Sequence[str], repository: Repository
) -> list[str]:
    """Return the stacks to plan: the specified stacks, the stack in a plan file, or all stacks whose plans may differ
    between the two sides.
    """
    if plan := before.plan or after.plan:
        _refuse_others(stacks, plan)
        return [plan.stack]
    known = sorted({stack for place in places if place for stack in _stacks(place)})
    for stack in stacks:
        if stack not in known:
            hint = did_you_mean(
                stack, known, f"stacks are {', '.join(known)}" if known else "there are no stack files"
            )
            raise SourceError(f"there is no stack {stack!r} on either side; {hint}")
    return sorted(set(stacks)) or list(_differing(known, before, after, places, repository))


def _refuse_others(stacks: Sequence[str], plan: Plan) -> None:
    for stack in stacks:
        if stack != plan.stack:
            raise SourceError(
                f"the plan file is for stack {plan.stack}, not {stack}; remove {stack} from the command"
            )


def _differing(
    known: Sequence[str], before: Source, after: Source, places: Sequence[Place | None], repository: Repository
) -> Iterable[str]:
    """Return the stacks whose stack files differ, or all stacks if any other file differs."""
    changed = repository.differing(before.side.commit, after.side.commit or None)
    files: dict[str, set[str]] = {}
    for place in filter(None, places):
        folder = _stack_folder(place)
        for stack in known:
            files.setdefault(stack, set()).add((folder / f"Pulumi.{stack}.yaml").as_posix())
    own = set().union(*files.values())
    return known if changed - own else [stack for stack in known if changed & files[stack]]


def failure_of(pair: PlannedPair, sides: tuple[Side, Side]) -> str | None:
    """Return why a side can't be planned, or None if both can. If planning failed on both, the newer side counts."""
    for plan, side in ((pair.after, sides[1]), (pair.before, sides[0])):
        if isinstance(plan, Failure):
            return f"{side.source} can't be planned: {plan.text}"
    return None


def _review(pair: PlannedPair, sides: tuple[Side, Side]) -> Review:
    if failure := failure_of(pair, sides):
        return failed_review(pair.stack, pair.project, failure, sides=sides)
    assert not isinstance(pair.before, Failure)
    assert not isinstance(pair.after, Failure)
    return review(pair.before, pair.after, sides=sides)
