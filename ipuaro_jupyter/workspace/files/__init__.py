"""The project's files: paths in; confined reads, atomic writes, listings and watch events out.

Doors: ``disk`` (bytes), ``atomic_writes``, ``text_file`` (decoding and encoding), ``paths``
(confinement), ``git_data`` (what only git writes), ``folders`` (access to folders by descriptor),
``entries`` (one folder's), ``listing``, ``gitignore`` and ``watch``.
"""
