"""Renders a plan for a terminal, a pull request or a browser.

Each renderer is a separate module, so that showing a plan as text doesn't import the others.
"""
