"""What it costs to open a long session and to save a step of it.

    python tests/benchmarks/sessions.py [ROUNDS]

A turn is six messages: a question, two rounds with a tool call and its result, one of 20 KB and
one a dict of 500 bytes, and the answer. Times are in milliseconds, medians of ROUNDS (9), on a
server of its own. The ratios compare with what cannot be done without: fetching the bytes from
Redis, and ``json.loads`` of them; and saving in a session of 500 turns with saving in one of ten.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from scratch_home import scratch_home

from ipuaro_jupyter.records.chat import Message, ToolCall, Usage

_ROUNDS = 9
_LONG, _SHORT = 500, 10
_STEPS = 200
_SOURCE = Path(__file__).read_text(encoding="utf-8") * 8


def turn(number: int) -> Iterator[Message]:
    """Yield the messages of a turn."""
    yield Message(role="user", content=f"What does part {number} do, and who calls it?")
    results = (
        {"success": True, "output": _SOURCE[:20_000]},
        {"success": True, "output": {"n": "x" * 480}},
    )
    for place, result in enumerate(results):
        call = ToolCall(id=f"{number}.{place}", name="get_lines", arguments={"path": "src/a.ts"})
        raw = '<tool_call name="get_lines"><path>src/a.ts</path></tool_call>'
        usage = Usage(prompt_tokens=9000, completion_tokens=40, duration_ms=900)
        yield Message(role="assistant", content="", raw=raw, calls=(call,), usage=usage)
        text = (
            result["output"] if isinstance(result["output"], str) else json.dumps(result["output"])
        )
        yield Message(role="tool", content=text, call_id=call.id, tool=call.name, result=result)
    yield Message(role="assistant", content="It does this. " * 40, raw="It does this. " * 40)


def timed(
    work: Callable[[], object], rounds: int, *, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Return the median of how long ``work`` takes, in milliseconds."""
    taken = []
    for _ in range(rounds):
        began_s = clock()
        work()
        taken.append(1000 * (clock() - began_s))
    return statistics.median(taken)


def main(rounds: int) -> None:
    """Print the table."""
    from ipuaro_jupyter.sessions.session import Sessions
    from ipuaro_jupyter.store.connection import StoreSettings, connect
    from ipuaro_jupyter.store.keys import Keys

    store, keys = connect(StoreSettings()), Keys("benchmark")
    sessions = Sessions(store, keys)
    made = {}
    for length in (_SHORT, _LONG):
        made[length] = sessions.create()
        for number in range(length):
            for message in turn(number):
                made[length].append(message)
    key = keys.messages(made[_LONG].id)
    raw = store.lrange(key, 0, -1)
    fetched = timed(lambda: store.lrange(key, 0, -1), rounds)
    parsed = timed(lambda: [json.loads(data) for data in raw], rounds)
    opened = timed(lambda: sessions.open(made[_LONG].id), rounds)
    processor = timed(lambda: sessions.open(made[_LONG].id), rounds, clock=time.process_time)
    size_mb = sum(map(len, raw)) / 1e6
    print(f"{_LONG} turns, {len(raw)} messages, {size_mb:.1f} MB")
    print(f"{'fetch the bytes from Redis':34} {fetched:8.1f} ms")
    print(f"{'json.loads of them':34} {parsed:8.1f} ms")
    print(f"{'open the session':34} {opened:8.1f} ms", end="   ")
    print(f"{opened / (fetched + parsed):.2f} of the two together")
    print(f"{'of that, processor time of the kernel':34} {processor:5.1f} ms")
    steps = {}
    for length, session in made.items():
        step = next(message for message in turn(0) if message.role == "tool")
        steps[length] = timed(lambda s=session, m=step: s.append(m), _STEPS)
        print(f"{f'save a step after {length} turns':34} {steps[length]:8.3f} ms")
    print(f"{'':34} {steps[_LONG] / steps[_SHORT]:8.2f} times as long")
    store.close()


if __name__ == "__main__":
    with scratch_home():
        main(int(sys.argv[1]) if len(sys.argv) > 1 else _ROUNDS)
