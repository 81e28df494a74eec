"""A demo that ran."""

from demo_runs import first

__all__ = ["first"]
