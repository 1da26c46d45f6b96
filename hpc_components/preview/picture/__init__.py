"""Draws a picture of a cluster. `scene` determines the content, `layout` the geometry, and `lettering` the text
widths.
"""
