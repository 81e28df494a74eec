"""Tools of projects that are made of a test's files."""

from tool_calls import run, shared

__all__ = ["run", "shared"]
