"""Receipts: what of an answer's claims is not in the code.

Doors: ``turn_receipt`` (the receipt of a turn, kept with its answer), ``receipt`` (that of a text)
and ``line_digests`` (the lines that it names). A false mark is worse than a missed one: names of
libraries and languages, what an answer proposes, denies or has just removed, and all that the index
cannot tell are left alone.
"""
