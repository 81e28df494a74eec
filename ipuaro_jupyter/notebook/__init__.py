"""The only room that knows IPython and widgets: magics, the cell that waits, the question."""
