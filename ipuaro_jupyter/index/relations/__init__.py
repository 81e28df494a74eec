"""What declarations have to do with one another: who calls whom, who implements what.

Everything here reads one state of the index, a `LookupState`. Doors: ``callers`` and ``callees``
(calls, followed to any depth), ``users`` (uses of any kind) and ``implementations`` (subclasses,
objects of a type, overrides).
"""
