"""The project's files: paths in; confined reads, atomic writes, listings and watch events out.

Doors: ``disk`` (bytes), ``atomic_writes``, ``text_file`` (decoding and encoding), ``text_lines``
(a few of a text), ``paths`` (confinement), ``meant_paths`` (paths as models write them),
``git_data`` (folders that only git writes), ``folders`` (access to folders by descriptor),
``entries`` (those of one folder), ``listing``, ``membership`` (whether single files belong to one),
``linked_packages`` (in ``node_modules``), ``gitignore`` and ``watch``.
"""
