"""Secrets are hidden from the model: what they are is told, and which are the same."""

from ipuaro_jupyter.agent.redaction.file_kinds import path_of
from ipuaro_jupyter.agent.redaction.hiding import PLACEHOLDER, Redaction, redaction_key

__all__ = ["PLACEHOLDER", "Redaction", "path_of", "redaction_key"]
