"""Tool calls in a model's text.

In goes the text of a reply, as a whole or as it streams, with the schemas of the tools. Out come
the text that the user may see, the model's thinking, the calls, and a sentence for the model for
each call that cannot be read. Doors: ``reply_parser`` (text to calls, and where a server may stop)
and ``call_format`` (a call to text). The forms in which models write calls are in `forms`.
"""
