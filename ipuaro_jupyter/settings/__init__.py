"""The settings of all rooms in one class, and whether a project's settings file is trusted.

Doors: ``settings`` (loading and composing), ``trust`` (approved files), ``shown_settings``
(values with secrets hidden) and ``user_file`` (writing into the user's own).
"""
