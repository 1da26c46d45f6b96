"""Rules of the plan that hold on AWS alone."""
