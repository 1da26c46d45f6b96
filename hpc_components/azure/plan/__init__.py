"""Interprets the Azure resources recorded in a plan. The `reader` module combines the results of the other
modules.
"""
