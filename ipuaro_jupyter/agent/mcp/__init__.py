"""MCP: configured servers in, their tools as ours out.

Doors: ``mcp_client`` (the servers of one assistant), ``mcp_settings`` and ``mcp_tools``.
"""
