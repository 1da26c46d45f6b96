"""Renders a plan for a terminal, a pull request or a browser.

Each renderer is a separate module, so that rendering a plan as text doesn't import the other renderers.
"""
