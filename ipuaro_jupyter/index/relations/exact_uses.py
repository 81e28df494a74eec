"""The uses of a declaration, with a note on what time ran out for."""

from ipuaro_jupyter.index.binding.reference_cache import Declaration, LookupState
from ipuaro_jupyter.index.binding.uses import Uses
from ipuaro_jupyter.records.counted import counted


def exact_uses(asked: LookupState, target: Declaration, notes: list[str]) -> Uses:
    """The uses of a declaration.

    Args:
        asked: A state of the index.
        target: The declaration.
        notes: Gets a note when time ran out for some of the files.

    Raises:
        Cancelled: The user stopped it.
        TimeUp: Time ran out before any file was looked at.
    """
    path, qualified = target
    uses = asked.references.of(qualified, None, limit=None, declared_in=path)
    note_late(uses, qualified, notes)
    return uses


def note_late(uses: Uses, name: str, notes: list[str]) -> None:
    """Note the files that time ran out for, if there are any."""
    if uses.not_looked_at:
        files = counted(len(uses.not_looked_at), "file")
        notes.append(f"the time was up: {files} not looked at for uses of {name}")
