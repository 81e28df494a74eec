"""The examples in the documentation of a function, run in a copy of the project.

They tell whether a new text of the function does what its documentation says: in Python those that
doctest finds, in JavaScript those after ">>>", and those of ``@example`` with a result. They run in
the sandbox or not at all, since nobody has looked at the text before.

Other rooms import ``doc_examples``.
"""
