"""Renders an acceptance test as a self-contained HTML page without scripts or network requests."""

from collections.abc import Iterator

from hpc_components.accept.result import Acceptance, State
from hpc_components.accept.show import tables
from hpc_components.accept.show.document import document_of
from hpc_components.report.page import render_page
from hpc_components.report.parts import Figure, Page, Section
from hpc_components.wording import plural

_PACKAGE = "hpc_components.accept.show"

_LOOKS = {
    State.PASSED: "passed", State.FAILED: "failed", State.WARNED: "warned", State.SHOWN: "shown",
    State.LEFT_OUT: "left",
}  # fmt: skip

_WORDS = {
    State.PASSED: "Passed", State.FAILED: "Failed", State.WARNED: "Warned", State.SHOWN: "Shown",
    State.LEFT_OUT: "Left out",
}  # fmt: skip


def acceptance_page(acceptance: Acceptance) -> str:
    """Render the page. The same test always produces the same text."""
    boots = acceptance.boot_steps
    figures = tables.figures_table(acceptance)
    page = Page(
        title=f"Acceptance of {acceptance.cluster}",
        heading=f"Acceptance of {acceptance.cluster}",
        where=tables.about(acceptance),
        note=tables.caveat(acceptance),
        figures=tuple(_key_figures(acceptance)),
        skip_to="checks",
        sections=(
            Section("checks", "Checks"),
            *([Section("figures", "Figures")] if figures.rows else []),
            Section("jobs", "Jobs"),
            *([Section("boot", "First boot")] if boots else []),
            Section("proof", "Proof"),
        ),
        footer="Tested by hpc accept from outside, as a user of the cluster.",
    )
    outcomes = [
        (_LOOKS[state], _WORDS[state], what, detail) for state, what, detail in tables.lines(acceptance)
    ]  # fmt: skip
    return render_page(
        _PACKAGE, "page.html.j2", page, ("acceptance",),
        outcomes=outcomes,
        figures=figures if figures.rows else None,
        jobs=tables.jobs_table(acceptance),
        boot=tables.boot_table(acceptance) if boots else None,
        releases=tables.releases(acceptance),
        described=acceptance.described_sha256,
        sha256=document_of(acceptance)["sha256"],
    )  # fmt: skip


def _key_figures(acceptance: Acceptance) -> Iterator[Figure]:
    result, _, counted = tables.verdict(acceptance).partition(": ")
    yield Figure("Result", result.capitalize(), counted, look="passed" if acceptance.passed else "failed")
    yield Figure("Time", f"{acceptance.seconds:,.0f} s", f"from {acceptance.began}")
    nodes = sum(len(job.names) for job in acceptance.jobs)
    yield Figure("Compute nodes", f"{nodes:,}", f"in {plural(len(acceptance.jobs), 'queue')}")
    known = [job.usd for job in acceptance.jobs if job.usd is not None]
    yield Figure("Maximum cost", f"{sum(known):,.2f} USD" if known else "Unknown", "planned, at list prices")
