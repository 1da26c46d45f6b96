"""The driver for EC2. Importing the package imports no SDK; `driver` does."""
