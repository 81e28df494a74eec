"""The only room that knows IPython and widgets."""
