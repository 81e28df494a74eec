"""Declarations of installed packages, found on demand and only read.

The index holds the project, not what it has installed. When a name is imported from a package, the
package's files are read and followed here: ``.d.ts`` and JavaScript in ``node_modules``, stubs and
sources in ``site-packages``. Doors:
``imported_from`` (where a name of the project comes from), ``installed_packages`` (what that
declares), ``python_environment`` (whether a module of Python is installed), ``node_environment``
(whether a specifier means a package).
"""
