"""The driver for EC2. Importing this package does not import an SDK; importing its `driver` module does."""
