"""Images that Azure Image Builder makes from the recipes of a description."""
