"""Draws the picture of a cluster. `scene` determines its content, `layout` its geometry, and `lettering` the width of
text."""
