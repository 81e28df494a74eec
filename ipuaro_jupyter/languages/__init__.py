"""One folder per language, all of it data."""
