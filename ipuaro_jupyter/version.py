"""The version of the package, as in pyproject.toml."""

__version__ = "1.0.0rc1"
