"""One folder per language, all data."""
