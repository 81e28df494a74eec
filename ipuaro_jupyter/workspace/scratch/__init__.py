"""A temporary copy of the project, to replay a session or check a proposal in.

Door: ``scratch``.
"""
