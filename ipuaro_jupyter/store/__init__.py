"""Redis: the connection, the embedded server and the keys."""
