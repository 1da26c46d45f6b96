"""A renderer for each place where a plan is read: a terminal, a pull request, a browser.

Each is a module of its own, so that showing a plan as text does not import the others.
"""
