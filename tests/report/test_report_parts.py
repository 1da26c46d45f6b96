"""One table is printed as text, Markdown and HTML."""

import pytest

from hpc_components.report.markdown import markdown_table
from hpc_components.report.page import environment
from hpc_components.report.parts import Cell, Column, Table, words
from hpc_components.report.text import TextTable, plain_text

COLUMNS = "Quota", Column("need, hour", "need/h"), words("for <whom>", page_only=True)


def table() -> Table:
    return Table("Quotas", COLUMNS, [(Cell("vCPUs", notes=(1,)), "1,536", "a\nb")], total=("Total", "2", ""))


def page(some: Table) -> str:
    environment_ = environment("hpc_components.preview.render")
    return environment_.from_string('{% from "parts.html.j2" import table %}{{ table(some) }}').render(some=some)


def test_a_row_with_another_number_of_cells_is_refused() -> None:
    with pytest.raises(ValueError, match="Quotas: a row has 2 cells, but the table has 3 columns"):
        Table("Quotas", COLUMNS, [("vCPUs", "1")])


def test_a_terminal_shows_short_titles_and_the_total_last() -> None:
    lines = plain_text(TextTable(table()), 40).splitlines()
    assert [line.split() for line in lines if line.strip(" ─")] == [
        ["Quota", "need/h"],
        ["vCPUs", "[1]", "1,536"],
        ["Total", "2"],
    ]


def test_a_table_wider_than_the_terminal_becomes_paragraphs() -> None:
    wide = Table("Machines", ("Queue", "machine"), [("compute", "hpc6a.48xlarge → c7i.48xlarge")])
    assert plain_text(TextTable(wide), 40) == "compute\n  machine: hpc6a.48xlarge → c7i.48xlarge\n"


@pytest.mark.parametrize(("width", "is_table"), [(34, True), (26, False)])
def test_a_first_column_is_wrapped_while_it_has_room(width: int, is_table: bool) -> None:
    name = "storage of the file system"
    text = plain_text(TextTable(Table("Cost", ("USD", "hour"), [(name, "1,000.00")], wraps=True)), width)
    assert ("─" in text) is is_table
    assert (name in text) is not is_table


def test_markdown_has_the_total_first_and_escapes_cells() -> None:
    rows = [("a|b", "<i>", "")]
    assert "".join(markdown_table(Table("Quotas", COLUMNS, rows, total=("Total", "2", "")))) == (
        "| Quota | need, hour |\n| :--- | ---: |\n| **Total** | **2** |\n| a\\|b | &lt;i&gt; |\n"
    )


def test_a_page_has_all_columns_and_a_footer_with_the_total() -> None:
    text = page(table())
    assert '<th scope="col">For &lt;whom&gt;</th>' in text
    assert (
        '<th scope="row">vCPUs<sup><a href="#note-1">1</a></sup></th><td class="n">1,536</td><td>a<br>b</td>' in text
    )
    assert '<tfoot><tr><th scope="row">Total</th><td class="n">2</td><td></td></tr></tfoot>' in text
