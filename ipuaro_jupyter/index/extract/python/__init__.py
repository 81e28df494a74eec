"""Python: a syntax tree in, declarations, imports and names out. Door: ``python_facts``."""
