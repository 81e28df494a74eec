"""Records drawn as text and static HTML."""
