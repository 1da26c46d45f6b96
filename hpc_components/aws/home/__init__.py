"""Home file systems: FSx for OpenZFS, of a fixed size, or EFS, which grows with its content."""
