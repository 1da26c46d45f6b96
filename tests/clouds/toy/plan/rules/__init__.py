"""Rules of the plan that hold on the toy cloud alone."""
