"""What the project's code says, kept in Redis and always fresh."""
