"""Plan rules that apply only to Google Cloud."""
