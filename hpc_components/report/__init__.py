"""Provides the parts that all reports share, with a printer for each output format (terminal, Markdown and HTML).

A report shows a plan, a review or a rehearsal. The package for each kind of report chooses what to show in each
format, and in which order. Each part is built only once, so that column titles and price formats are the same
everywhere:

    columns = "Quota", "need", words("for", page_only=True)
    table = Table("Quotas to ask for", columns, [("Running instances", "1,536", "queue-a")])
    TextTable(table)       # `text`: a rich table, or paragraphs on a narrow terminal
    markdown_table(table)  # `markdown`: a GitHub table
    {{ table(table) }}     # `templates/parts.html.j2`: an HTML table

`frame.html.j2` is the frame of every HTML page and is filled with a `Page`. Each printer is a separate module, so
that printing text does not import the templates. Pictures and trees are not shared: each format draws its own.
"""
