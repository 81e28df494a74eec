"""Redaction: secrets are hidden from the model, which sees their kind and which are equal."""

from ipuaro_jupyter.agent.redaction.file_kinds import path_of
from ipuaro_jupyter.agent.redaction.hiding import PLACEHOLDER, Redaction, redaction_key
from ipuaro_jupyter.agent.redaction.known import NOTHING, Known, known_in
from ipuaro_jupyter.agent.redaction.secret_values import kind_of

__all__ = [
    "NOTHING",
    "PLACEHOLDER",
    "Known",
    "Redaction",
    "kind_of",
    "known_in",
    "path_of",
    "redaction_key",
]
