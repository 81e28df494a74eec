"""Tools whose calls are read."""

from tool_schemas import aliases, schemas

__all__ = ["aliases", "schemas"]
