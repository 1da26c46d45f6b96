"""One renderer for every place a plan is read: a terminal, a pull request, a browser.

Each stands in a module of its own, so that showing a plan as text loads nothing of the others.
"""
