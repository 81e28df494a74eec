"""A question in words in; the files and declarations that it is about out, ranked, without a model.

A word's row of the index says which files have it, so that a question reads as many rows as it has
words, and nothing is kept in memory: what is asked first after opening costs as much as what is
asked later. Functions are ranked when asked, by the texts of the files that rank first.

Doors: ``asked`` (what a question says), ``ranked_search``, ``file_declarations`` (the
declarations of a file with their words), ``excerpts`` (their source), ``demoted`` (tests and the
like).
"""
