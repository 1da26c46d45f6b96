"""Renderers of a plan for a terminal, a pull request and a browser.

Each is a separate module, so that showing a plan as text does not import the others.
"""
