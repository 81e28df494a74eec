"""The examples in the documentation of a function, run in a copy of the project.

They tell whether a new text of the function does what its documentation says: those that doctest
finds, those after ">>>" or of ``@example`` with a result in JavaScript, and in both calls of the
function with an arrow and a result. They run in the sandbox or not at all, since nobody has looked
at the text before.

Other rooms import ``doc_examples``.
"""
