"""What the code of a project means to other files, part by part.

Doors: ``shape_parts`` (what the parts are) and ``shape_changes`` (which of them have changed).
"""
