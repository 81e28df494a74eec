"""A Jupyter-native assistant for your codebase, with a local model."""
