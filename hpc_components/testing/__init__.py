"""What our own tests and yours use: record a program, assert on resources, a stand-in provider."""
