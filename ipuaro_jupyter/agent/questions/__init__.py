"""What a message asks for, told by rules before any model is asked.

A message is *structural* (where a name is defined, who calls it, what imports a file: what the
index knows exactly), an *explanation* (how, why, what does), a *change* (an imperative, a request,
a wish), a *run* of the tests or a program, about the *notebook* (the last error, a value), an
*overview* (what this project is, where to start), or *talk*.

Code, tracebacks, quotations and mentions with ``@`` are taken out first: they are no sentences.
Each of the others is read by the rules of its language, the first that holds giving its kind, and
one sentence is enough to make the message a change, unless it says that nothing may be changed.
The report of a fault alone asks for an explanation, and so does all that the rules cannot tell,
which is then marked as unsure: to explain unasked costs a click, to change unasked costs trust.

What the rules look for is data, a file for each language in ``patterns``; the head of the English
one tells its form. A new language is a new file.

Doors: ``message_kind`` (the kind of a message, and for a structural one what it asks of which
names), ``wish`` (whether it may change something).
"""
