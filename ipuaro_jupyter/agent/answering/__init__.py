"""Answers from evidence: the index speaks first, and one request has a model word it.

What a message asks for is told by rules (`agent.questions`). `structural_answer` answers what the
index knows exactly; `index_first` looks up everything else and words the request: rules that stay
the same, earlier questions and answers, evidence, question. `evidence_answer` sends it without
tools, reads the reply, and asks again where that is a call, an apology or an invention, before it
lets the index's own answer stand. The ids that a model cites become places (`agent.citations`).
What a message asks to run, the program runs (`run_requests`), and a model words a failure only.

Doors: ``index_first``, ``evidence_answer``, ``run_requests``, ``choices`` (a model's choice among
options), and ``reading_speed`` (how much evidence a model gets).
"""
