"""Rules of the plan that apply only to Google Cloud."""
