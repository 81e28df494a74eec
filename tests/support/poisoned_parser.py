"""A parser that some files kill, hang, delay or starve of memory, for tests of workers."""

import textwrap

from ipuaro_jupyter.index.extract.batches import decode_batch
from ipuaro_jupyter.index.extract.facts_format import unpack_facts

POISON = textwrap.dedent(
    """
    import os, signal, time
    from ipuaro_jupyter.index.extract import parse
    from ipuaro_jupyter.languages import bounded

    real = parse.parse_file

    def parse_file(path, data):
        if path == "dies.ts":
            os._exit(3)
        if path == "dies-once.ts" and not os.path.exists(data.decode()):
            open(data.decode(), "w").close()
            os._exit(3)
        if path == "late.ts" and bounded._may_die:
            signal.raise_signal(signal.SIGPROF)
        if path == "eats.ts":
            bytearray(10 * 1024**3)
        if path == "hangs.ts":
            time.sleep(60)
        return real(path, data)

    parse.parse_file = parse_file
    """
)


def paths_and_errors(blobs):
    answers = [answer for blob in blobs for answer in decode_batch(blob).answers]
    facts = [unpack_facts(answer.facts) for answer in answers]
    return {fact["path"]: fact["parse_error"] for fact in facts}
