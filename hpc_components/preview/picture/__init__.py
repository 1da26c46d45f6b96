"""The picture of a cluster: its content (scene), the geometry (layout), and the width of words (lettering)."""
