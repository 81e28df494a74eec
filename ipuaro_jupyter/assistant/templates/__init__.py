"""Questions kept in files, asked by "/name arguments".

In go folders, out come the text of a question, and the user's consent to one that came with a
project. Doors: ``question_templates`` (what there is, and asking with one) and ``template_file``.
"""
