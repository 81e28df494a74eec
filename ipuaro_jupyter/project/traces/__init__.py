"""Errors that programs have printed: an output in, the errors with their frames out.

Door: ``printed_errors``.
"""
