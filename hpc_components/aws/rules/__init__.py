"""Rules that hold on AWS."""
