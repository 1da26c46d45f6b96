"""Components of the toy cloud, one a file."""
