"""Changes that a model writes as text, one declaration at a time, without tools.

`changed_places` finds the declarations that a request is about. `change_request` words the
requests: steady rules, a declaration whole, the heads of what it uses. `writing` asks, and once
more where a reply cannot be used; `written_text` cuts a reply to its declaration, or says why that
fails; `added_imports` are the imports that the new text needs. `placed_edits` finds the places of
what a reply holds instead, such as a diff, by the index or by `placed_lines`. `declaration_text` is
one declaration, parsed and tried; `several_texts` are some that change as one, listed before;
`new_text` is something new, in the place that `new_places` finds.
`plain_edits` are renames and removals, which need no text. `text_change` leads through these steps,
and makes a call of a tool that edits, so that question, undo and record are those of any edit.
`offered_edits` are those of an answer to a question, which are proposed where the user wants that.

Doors: ``text_change``, ``placed_edits``, ``offered_edits``.
"""
