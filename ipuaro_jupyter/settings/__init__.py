"""The settings of all rooms in one class, and whether a project's settings file is trusted.

Doors: ``settings`` (loading and composing), ``trust`` (approved files) and ``shown_settings``
(values with secrets hidden).
"""
