"""Rules of the plan that hold on Google Cloud alone."""
