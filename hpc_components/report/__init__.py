"""The common parts of all reports, with one printer for each form: terminal, Markdown and HTML page.

A report shows a plan, a review or a rehearsal. Its room chooses what each form shows, and in which order; what is
shown is built once from `parts`, so that a column has the same title and a price the same format everywhere:

    columns = "Quota", "need", words("for", page_only=True)
    table = Table("Quotas to ask for", columns, [("Running instances", "1,536", "queue-a")])
    TextTable(table)       # `text`: a table of rich; paragraphs on a narrow terminal
    markdown_table(table)  # `markdown`: a table of GitHub
    {{ table(table) }}     # `templates/parts.html.j2`: a table of a page

`frame.html.j2` is the frame of every page, filled with a `Page`. Each printer is a separate module, so that text does
not import the templates. Pictures and trees are not parts: each form draws them in its own way.
"""
