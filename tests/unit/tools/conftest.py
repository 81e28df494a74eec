"""Tools of projects that are made of a test's files."""

from tool_calls import repository, run, shared

__all__ = ["repository", "run", "shared"]
