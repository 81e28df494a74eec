"""The only room that knows IPython and widgets: magics, awaiting cells, questions."""
