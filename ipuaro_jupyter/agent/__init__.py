"""The loop between the model and the tools."""
