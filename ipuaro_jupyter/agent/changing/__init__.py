"""Changes that a model writes as text, one declaration at a time, without tools.

`changed_places` finds the declaration that a request is about. `change_request` words the one
request: steady rules, the declaration whole, the heads of what it uses. `written_text` cuts the
reply to that declaration, or says why it cannot be used; `added_imports` are the imports that the
new text needs. `placed_edits` finds the places of what a reply holds instead, such as a
diff, by the index or by `placed_lines`. `text_change` leads through these steps, has the result
parsed, and makes a call of a tool that edits, so that question, undo and record are those of any
edit. `offered_edits` are those of an answer to a question, which are proposed where the user wants
that.

Doors: ``text_change``, ``placed_edits``, ``offered_edits``.
"""
