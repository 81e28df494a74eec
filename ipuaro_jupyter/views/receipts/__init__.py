"""What programs found of answers: marks in the text and a list below it, and a saved notebook's.

Doors: ``receipt`` (of an answer) and ``checked_answers`` (of a notebook); ``evidence`` (what the
index found on a question).
"""
