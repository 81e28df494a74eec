"""Our tools for other assistants: an MCP server on standard input and output."""
