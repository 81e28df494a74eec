"""The rooms' own settings under one roof, and whether a project's settings file is trusted.

Doors: ``settings`` (loading and composing), ``trust`` (approved files) and ``shown_settings``
(values as they may be shown).
"""
