"""Try a text on a parser in a process that may end for it.

Some texts make a single step of a parser take minutes: nothing interrupts it but the end of its
process.
"""

import signal
import time

from ipuaro_jupyter.languages.bounded import steps_parsed
from ipuaro_jupyter.languages.registry import language_named

_STEP_S = 0.25


def is_soon_parsed(name: str, data: bytes, seconds: float) -> bool:
    """Whether parsing takes no longer than ``seconds`` of CPU time.

    The process dies when a single step takes longer than 0.25 s: this is for the main thread of a
    worker.

    Args:
        name: A language with a grammar.
        data: UTF-8.
        seconds: The limit.
    """
    until = time.process_time() + seconds

    def is_over(_offset: int, _has_error: object) -> bool:
        signal.setitimer(signal.ITIMER_PROF, _STEP_S)
        return time.process_time() > until

    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # without a handler, it needs no interpreter
    signal.setitimer(signal.ITIMER_PROF, _STEP_S)
    try:
        return steps_parsed(language_named(name), data, is_over) is not None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
