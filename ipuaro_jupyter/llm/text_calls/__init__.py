"""Tool calls in a model's text.

In goes the text of a reply, piece by piece, with the schemas of the tools; out come the text that
the user may see, the model's thinking, the calls, and a sentence for each call that cannot be
read. The door is `reply_parser`: `parse_reply` takes a whole reply apart, `StreamParser` one that
still streams, and `format_call` writes a call as text.
"""
