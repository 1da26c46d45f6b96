"""Rules of the plan that hold on Azure alone."""
