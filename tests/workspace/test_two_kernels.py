"""Several kernels and readers at one file."""

import threading

from ipuaro_jupyter.errors import ToolError


def test_two_kernels_never_lose_an_edit(open_workspace, opened):
    opened.write("a.ts", "")
    failures = []

    def append(name):
        mine = open_workspace(opened.root)
        for number in range(15):
            line = f"{name} {number}\n".encode()
            while True:
                data, _ = mine.workspace.read_bytes("a.ts")
                mine.workspace.note_shown("a.ts", mine.workspace.read("a.ts").hash)
                try:
                    mine.apply("a.ts", data, data + line)
                except ToolError as error:
                    if error.type != "conflict":
                        failures.append(error)
                        return
                else:
                    break

    threads = [threading.Thread(target=append, args=(name,)) for name in ("one", "two", "three")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    lines = (opened.root / "a.ts").read_text().splitlines()
    wanted = {f"{name} {number}" for name in ("one", "two", "three") for number in range(15)}
    assert set(lines) == wanted
    assert len(lines) == len(wanted)


def test_readers_never_see_half_a_file(opened):
    one, two = b"1" * 300_000, b"2" * 200_000
    opened.write("a.ts", one)
    seen, done = set(), threading.Event()

    def watch():
        while not done.is_set():
            seen.add((opened.root / "a.ts").read_bytes())

    watcher = threading.Thread(target=watch)
    watcher.start()
    for _ in range(10):
        opened.apply("a.ts", one, two)
        opened.apply("a.ts", two, one)
    done.set()
    watcher.join()
    assert seen <= {one, two}
