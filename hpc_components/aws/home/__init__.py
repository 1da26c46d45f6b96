"""Home file systems: FSx for OpenZFS, which has a fixed size, or EFS, which grows automatically."""
