"""The drawn picture of a cluster: what is in it (scene), where it stands (layout), how wide words are (lettering)."""
