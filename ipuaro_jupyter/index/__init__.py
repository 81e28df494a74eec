"""The index of a project's code, kept in Redis and compared with the disk when read."""
