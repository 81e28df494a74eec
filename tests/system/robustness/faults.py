"""What goes wrong at each door: functions that prepare a turn, their names are their titles."""

import contextlib
import os
import resource
import signal
import subprocess
import threading

import elsewhere
import psutil
from room import SUPPORT, load, wait_for_writes
from turn import call

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import Cancelled

FAULTS = {}
_PAUSE_S = 0.7


def fault(door, *, needs=lambda _room: True):
    """Add a fault to those that are played in the rooms that have what it needs."""

    def add(function):
        FAULTS[function.__name__.replace("_", " ")] = (door, needs, function)
        return function

    return add


def has_small_disks(room):
    """Whether the project and the store lie on disks that can be filled."""
    return os.path.ismount(room.place) and os.path.ismount(room.home)


def obeys_modes(room):
    """Whether this user may not write what is read-only; root may."""
    trial = room.home / "read-only"
    trial.mkdir(mode=0o555, exist_ok=True)
    return not os.access(trial, os.W_OK)


@fault("none")
def nothing(turn):
    """An ordinary turn."""
    turn.strike("begun", lambda: None)


@fault("user")
def stopped(turn):
    """The user stops it, at any moment."""
    turn.strike(None, turn.cancel.cancel)


@fault("user")
def nobody_reads_on(turn):
    """Whoever reads the events goes away."""
    turn.reads_on = False
    turn.strike(turn.room.random.choice(("begun", "speaking", "calling", "called")), lambda: None)


@fault("user")
def stopped_in_a_command(turn):
    """A command with children runs when the turn is stopped."""
    command = "sh -c 'sleep 300 & sleep 300'"
    turn.replies[1] += call("run_command", command=command)
    timer = threading.Timer(_PAUSE_S, turn.cancel.cancel)
    turn.strike("calling", timer.start)
    turn.healing.callback(timer.join)


@fault("store")
def store_killed(turn):
    """The server is gone at once; ours is started again, the user's own when the turn is over."""
    turn.strike(None, lambda: turn.room.store.send(signal.SIGKILL))
    turn.healing.callback(turn.room.store.start)


@fault("store")
def store_killed_while_retrying(turn):
    """As above, and the user says that it is to be tried again when the server is back."""

    def start_again(_trouble):
        turn.room.store.start()
        return "retry"

    store_killed(turn)
    turn.on_error = start_again


@fault("store")
def store_silent_for_a_while(turn):
    """The server does not answer, and then does."""
    store = turn.room.store
    going_on = threading.Timer(_PAUSE_S, store.send, [signal.SIGCONT])

    def pause():
        store.send(signal.SIGSTOP)
        going_on.start()

    turn.strike(None, pause)
    turn.healing.callback(store.send, signal.SIGCONT)


@fault("store", needs=has_small_disks)
def disk_of_the_store_full(turn):
    """The server cannot write its file, and refuses to store."""
    room = turn.room
    turn.strike(None, lambda: fill(room.home))
    turn.healing.callback(wait_for_writes, room.store.settings.get("redis", {}).get("url"))
    turn.healing.callback((room.home / "ballast").unlink, missing_ok=True)


def ollama(turn, *spoiled):
    """Let the turn speak Ollama's protocol; the second reply is spoiled, or all are good."""
    module = load(SUPPORT / "ollama_server.py")
    server = module.OllamaServer()
    server.add_model("scripted")
    first, second, third = turn.replies
    faults = [part if isinstance(part, str) else module.Fault(*part) for part in spoiled]
    server.replies += [[first], faults, [second], [third]] if spoiled else [[first], [second]]
    server.start()
    turn.healing.callback(server.stop)
    turn.settings = {"llm": {"host": server.url}}
    turn.model = "scripted"
    if turn.room.random.random() < 0.5:
        turn.on_error = lambda _trouble: "retry"
    turn.strike("speaking", lambda: None)


@fault("model")
def model_disconnects(turn):
    """The connection breaks in the middle of a reply."""
    ollama(turn, "I cha", "nge it. <tool_ca", ("disconnect",))


@fault("model")
def model_silent_until_the_limit(turn):
    """The model says nothing more."""
    ollama(turn, "I change ", ("hang",))


@fault("model")
def model_silent_until_stopped(turn):
    """The model says nothing more, and the user stops it."""
    ollama(turn, "I change ", ("hang",))
    turn.strike("called", threading.Timer(0.3, turn.cancel.cancel).start)


@fault("model")
def model_sends_garbage(turn):
    """What comes is no line of the protocol."""
    kinds = [("line", 500, "\x00\xff{{"), ("half a line",), ("end",), ("html",)]
    ollama(turn, "I change ", *turn.room.random.sample(kinds, 1))


@fault("model")
def model_refuses(turn):
    """The server answers with an error."""
    kinds = [("refuse", 500, "out of memory"), ("error", 500, "the runner has died")]
    ollama(turn, turn.room.random.choice(kinds))


def fill(folder):
    """Leave no room on a small disk."""
    with (folder / "ballast").open("wb", buffering=0) as ballast, contextlib.suppress(OSError):
        while ballast.write(bytes(1 << 16)):
            pass


@fault("files")
def disk_full(turn):
    """The project's disk has no room, or a file may not grow where no disk can be mounted."""
    room = turn.room
    if os.path.ismount(room.place):
        turn.strike("asking", lambda: fill(room.place))
        turn.healing.callback((room.place / "ballast").unlink, missing_ok=True)
        return
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    turn.strike("asking", lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard)))
    turn.healing.callback(resource.setrlimit, resource.RLIMIT_FSIZE, (hard, hard))


@fault("files", needs=lambda room: has_small_disks(room) or obeys_modes(room))
def folder_read_only(turn):
    """Nothing can be written from the question on."""
    room = turn.room
    if has_small_disks(room):
        turn.strike("asking", lambda: _remount(room.place, "ro"))
        turn.healing.callback(_remount, room.place, "rw")
        return
    folders = [room.root, *(place for place in room.root.rglob("*") if place.is_dir())]
    folders = [place for place in folders if ".git" not in place.parts]
    turn.strike("asking", lambda: [place.chmod(0o555) for place in folders])
    turn.healing.callback(lambda: [place.chmod(0o755) for place in folders])


def _remount(folder, how):
    subprocess.run(["mount", "-o", f"remount,{how}", folder], check=True, timeout=30)


@fault("files")
def changed_by_another_process(turn):
    """The file is changed, or made, between the proposal and the write."""
    _meddle(turn, 'mkdir -p "$(dirname "$0")"; printf "// theirs\\n" >> "$0"')


@fault("files")
def deleted_by_another_process(turn):
    """The same, deleted; one that is to be made has its folder replaced by a file."""
    folder = '"$(dirname "$0")"'
    _meddle(turn, f'rm "$0" || {{ mkdir -p "$(dirname {folder})"; touch {folder}; }}')


def _meddle(turn, script):
    """Let another process at the file of the first proposal, and put it back in the end."""
    before, theirs = {}, []

    def strike():
        before.update(turn.room.content())
        place = turn.room.root / turn.proposal.path
        command = ["sh", "-c", script, place]
        subprocess.run(command, check=True, timeout=30, stderr=subprocess.DEVNULL)
        theirs.extend(turn.room.changed(before))

    def put_back():
        for path in sorted(theirs, reverse=True):
            place = turn.room.root / path
            if path in before:
                data, mode = before[path]
                place.write_bytes(data)
                place.chmod(mode)
            elif place.is_dir():
                place.rmdir()
            else:
                place.unlink()

    turn.strike("asking", strike)
    turn.healing.callback(put_back)


@fault("git")
def git_is_locked(turn):
    """Another git is at work while the model commits; nothing is staged, nothing is committed."""
    room = turn.room
    lock = room.root / ".git" / "index.lock"
    turn.replies[1] = call("git_commit", message="Mine") + "".join(turn.changes)
    before = _git_state(room)
    turn.strike("asking", lock.touch)

    def unlock():
        if lock.exists():
            lock.unlink()
        else:
            room.note("somebody else's lock of git was removed")
        if _git_state(room) != before:
            room.note(f"git has gone on under a lock: {before} -> {_git_state(room)}")

    turn.healing.callback(unlock)


def _git_state(room):
    return room.git("rev-parse", "HEAD"), room.git("diff", "--cached", "--name-only")


@fault("index")
def worker_killed(turn):
    """A worker dies while everything is parsed anew."""
    delay_s = turn.room.random.uniform(0, 0.5)
    done = threading.Event()
    killed = []

    def kill():
        while not done.wait(0.005):
            workers = [
                child
                for child in psutil.Process().children()
                if "ipuaro_jupyter.index.storage.worker" in " ".join(_words(child))
            ]
            if workers and not killed:
                done.wait(delay_s)
                killed.append(workers[0])
                with contextlib.suppress(psutil.Error):
                    workers[0].kill()

    def reindex(assistant):
        killer = threading.Thread(target=kill)
        killer.start()
        assistant.reindex()
        done.set()
        killer.join()
        turn.struck = bool(killed)

    turn.after = reindex


def _words(process):
    try:
        return process.cmdline()
    except psutil.Error:
        return []


@fault("index")
def reindex_stopped(turn):
    """The user stops it while everything is parsed anew."""

    def reindex(assistant):
        cancel = CancelToken()
        timer = threading.Timer(turn.room.random.uniform(0, 0.3), cancel.cancel)
        timer.start()
        with contextlib.suppress(Cancelled):
            assistant.reindex(cancel=cancel)
        timer.join()
        turn.struck = True

    turn.after = reindex


@fault("process")
def process_killed(turn):
    """The assistant's process dies at any event of the turn."""
    turn.elsewhere = lambda: elsewhere.in_a_killed_process(turn)


@fault("process")
def kernel_interrupted(turn):
    """The stop button is pressed in a notebook."""
    turn.elsewhere = lambda: elsewhere.in_a_kernel(turn, signal.SIGINT)


@fault("process")
def kernel_killed(turn):
    """The kernel dies in the middle of a turn."""
    turn.elsewhere = lambda: elsewhere.in_a_kernel(turn, signal.SIGKILL)
