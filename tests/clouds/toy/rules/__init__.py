"""Rules of the toy cloud."""
