"""Images that EC2 Image Builder makes from the recipes of a description."""
