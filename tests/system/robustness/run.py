"""Play turns with faults at every door, and count what is lost, left or broken.

    python tests/system/robustness/run.py [--turns 200] [--seed N] [--seconds 900] [--only WORD]

Real files, git, Redis, kernels and worker processes; models that say what they are told, some of
them over Ollama's protocol. As root on Linux the project and the store lie on small disks of
their own, which can be filled and made read-only; else files may not grow instead. After each turn
the session, the index and the processes are looked at, and after each project everything is undone.
Ends with status 1 when something does not hold.
"""

import argparse
import faulthandler
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from faults import FAULTS
from room import MARK, SERVERS, EmbeddedStore, OwnStore, Room, left_open, left_running, sockets
from turn import Turn

TURNS_OF_A_PROJECT = 25
LONGEST_TURN_S = 120
HOME_SIZE, PROJECT_SIZE = "64m", "8m"
ALONE = "IPUARO_ROBUSTNESS_ALONE"


def arguments():
    """Return what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--seconds", type=float, default=900, help="begin no turn after that")
    parser.add_argument("--only", default="", help="faults that have this word in their name")
    return parser.parse_args()


def with_own_mounts():
    """Go on in a mount namespace, whose disks end with it; return whether that is possible."""
    if ALONE in os.environ:
        return os.environ[ALONE] == "yes"
    program = shutil.which("unshare") if sys.platform == "linux" and os.geteuid() == 0 else None
    if program is None:
        return False
    trial = [program, "-m", "mount", "-t", "tmpfs", "tmpfs", tempfile.gettempdir()]
    if subprocess.run(trial, capture_output=True, check=False).returncode:
        return False
    os.environ[ALONE] = "yes"
    return os.execv(program, [program, "-m", sys.executable, *sys.argv])


def small_disk(folder, size, *, is_possible):
    """Make a folder, on a disk of its own where that is possible."""
    folder.mkdir()
    if is_possible:
        command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder]
        subprocess.run(command, check=True, timeout=30)
    return folder


@dataclass
class Row:
    """What came of the turns with one fault."""

    turns: int = 0
    missed: int = 0
    ended: Counter = field(default_factory=Counter)
    lost: int = 0
    left: int = 0
    differing: int = 0
    seconds: float = 0.0


def play(room, name, row):
    """Play a turn with a fault and add it to the row."""
    lost, differing, began = room.lost, room.differences, time.monotonic()
    faulthandler.dump_traceback_later(LONGEST_TURN_S, exit=True)
    turn, before = Turn(room), sockets()
    FAULTS[name][2](turn)
    try:
        turn.play()
    except Exception:  # noqa: BLE001 - a defect of its own; the next turn is played all the same
        room.note(f"the turn fails: {traceback.format_exc()}")
    left = left_running(os.environ[MARK], allowed=SERVERS)
    if turn.elsewhere is None:  # the client of a kernel keeps a loop of its own
        left += left_open(before)
    faulthandler.cancel_dump_traceback_later()
    for what in left:
        room.note(f"left running or open: {what}")
    row.turns += 1
    row.missed += not turn.struck
    row.ended[turn.ended] += 1
    row.left += len(left)
    row.lost += room.lost - lost
    row.differing += room.differences - differing
    row.seconds += time.monotonic() - began


def order(room, chosen):
    """Yield the names of the faults that are possible in the room, each equally often."""
    names = [name for name in chosen if FAULTS[name][1](room)]
    while names:
        yield from room.random.sample(names, len(names))


def chapter(room, names, rows, *, turns, until):
    """Play turns in one project, then take everything back; return how many were played."""

    played = 0
    for name in names:
        if played == turns or time.monotonic() > until:
            break
        before = len(room.faults)
        play(room, name, rows[name])
        played += 1
        for what in room.faults[before:]:
            print(f"!! {name}: {what}", flush=True)
    before = len(room.faults)
    with room.opened(Turn(room, with_edits=False)) as assistant:
        room.undo_all(assistant)
        room.check_index(assistant)
    for what in left_running(os.environ[MARK], allowed=SERVERS):
        room.note(f"left running: {what}")
    for what in room.faults[before:]:
        print(f"!! at the end of a project: {what}", flush=True)
    return played


def table(rows):
    """Print what came of each fault."""

    heads = ("door", "fault", "turns", "missed", "lost", "left", "index", "s", "ended")
    lines = [heads]
    for name, row in sorted(rows.items(), key=lambda item: list(FAULTS).index(item[0])):
        ended = ", ".join(f"{count} {how}" for how, count in row.ended.most_common())
        counts = (row.turns, row.missed, row.lost, row.left, row.differing)
        each = f"{row.seconds / row.turns:.1f}"
        lines.append((FAULTS[name][0], name, *map(str, counts), each, ended))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = [cell.ljust(width) for cell, width in zip(line, widths, strict=True)]
        print(" ".join(cells).rstrip())


def run(folder, asked, *, has_disks):
    """Play all turns; return whether everything holds."""

    home = small_disk(folder / "home", HOME_SIZE, is_possible=has_disks)
    seed = random.randrange(10**6) if asked.seed is None else asked.seed
    os.environ |= {"IPUARO_HOME": str(home), MARK: f"{os.getpid()}-{seed}"}
    os.environ |= dict.fromkeys(("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"), os.devnull)
    chosen = [name for name in FAULTS if asked.only in name]
    stores = [EmbeddedStore, OwnStore] if shutil.which("redis-server") else [EmbeddedStore]
    began, played, rooms, rows = time.monotonic(), 0, [], defaultdict(Row)
    source = random.Random(seed)
    until = began + asked.seconds
    while played < asked.turns and time.monotonic() < until:
        place = small_disk(folder / f"disk{len(rooms)}", PROJECT_SIZE, is_possible=has_disks)
        store = stores[len(rooms) % len(stores)](home)
        room = Room(place, home, store=store, random=source)
        turns = min(asked.turns - played, max(len(chosen), TURNS_OF_A_PROJECT))
        played += chapter(room, order(room, chosen), rows, turns=turns, until=until)
        rooms.append(room)
        room.close()
    left = left_running(os.environ[MARK])
    table(rows)
    faults = [*(fault for room in rooms for fault in room.faults), *left]
    messages = sum(len(room.known) for room in rooms)
    print(
        f"seed {seed}: {played} turns in {len(rooms)} projects, {time.monotonic() - began:.0f} s; "
        f"{messages} messages, {sum(room.lost for room in rooms)} lost; "
        f"{sum(room.undone for room in rooms)} changes undone; {len(left)} processes left; "
        f"{len(faults)} defects"
    )
    return not faults


def main():
    """Play what was asked for."""
    asked = arguments()
    has_disks = with_own_mounts()
    folder = Path(tempfile.mkdtemp(prefix="ipuaro-robust-"))
    try:
        holds = run(folder, asked, has_disks=has_disks)
    finally:
        if has_disks:
            for disk in folder.iterdir():
                subprocess.run(["umount", "-l", disk], check=False, timeout=30)
        shutil.rmtree(folder, ignore_errors=True)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
