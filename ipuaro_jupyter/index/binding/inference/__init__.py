"""The types of JavaScript and TypeScript expressions, inferred without a type checker.

Door: ``receivers`` (what a member's name stands for, by the type of what it is a member of).
"""
