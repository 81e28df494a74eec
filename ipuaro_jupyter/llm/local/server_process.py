"""The process that runs a model: the only door to the runtime.

``python -m ipuaro_jupyter.llm.local.server_process`` with the arguments of `arguments`. It ends
itself when nobody uses it: no client for a while, or clients that have not asked for long. It does
not rely on clients to say goodbye: their lock goes with them.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple, NoReturn
from urllib.request import ProxyHandler, Request, build_opener

import psutil

from ipuaro_jupyter.control_groups import group_folders, memory_left_bytes
from ipuaro_jupyter.errors import ModelError
from ipuaro_jupyter.llm.local.gguf_file import WeightsHead
from ipuaro_jupyter.llm.local.model_name import split_files
from ipuaro_jupyter.llm.local.server_folder import ServerFolder

_LONGEST_STEP_S, _SHORTEST_STEP_S = 10.0, 0.05
_QUESTION_S = 10.0
_PROMPTS_IN_MEMORY_MIB = 512
_ONLY_WARNINGS = 2
_TOKENS_AT_ONCE = 512
_BYTES_PER_SCORE = 4
_RUNTIME_BYTES = 150_000_000
_GB = 1e9


class Orders(NamedTuple):
    """What the process is told.

    Attributes:
        folder: Its folder.
        weights: The file of weights.
        heads: The folder for what is kept of prompts.
        window: The tokens that prompt and reply may take.
        idle_s: Seconds without clients after which it ends.
        unused_s: Seconds without questions after which it ends; negative means never.
        sign_of_life: The descriptor that holds the server's lock.
    """

    folder: str
    weights: str
    heads: str
    window: int
    idle_s: float
    unused_s: float
    sign_of_life: int

    def arguments(self) -> list[str]:
        """The command line's arguments."""
        return [str(value) for value in self]


def main() -> NoReturn:
    """Run the model of the arguments until nobody uses it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    folder, weights, heads, window, idle_s, unused_s, sign = sys.argv[1:]
    orders = Orders(folder, weights, heads, int(window), float(idle_s), float(unused_s), int(sign))
    state = ServerFolder(Path(folder))
    try:
        server = _start(orders, state.key)
    except Exception as error:  # noqa: BLE001 - the last thing that it does is to say why
        state.say_failure(str(error))
        sys.exit(1)
    state.say_ready(server.listening_address, orders.window)
    _serve(orders, state, server.listening_address)


def _start(orders: Orders, key: str) -> Any:
    try:
        import xllamacpp  # noqa: PLC0415 - 100 MB
    except ImportError as error:
        remedy = " Debian's package of it is libgomp1." if "libgomp" in str(error) else ""
        told = f"The runtime of local models cannot be loaded: {error}.{remedy}"
        raise ModelError(told) from error
    path = Path(orders.weights)
    problem = too_little(path, orders.window, available_bytes() + _gpu_bytes(xllamacpp))
    if problem:
        raise ModelError(problem)
    return xllamacpp.Server(parameters(xllamacpp, orders, key))


def parameters(runtime: Any, orders: Orders, key: str) -> Any:
    """How the runtime serves a model.

    Where the last twelve tokens of a reply stand in the prompt, it guesses that what follows there
    comes next, and checks up to 48 of these tokens at once: a passage that is written again with a
    small change takes less time, and the text is the same.
    """
    params = runtime.CommonParams()
    params.model.path = orders.weights
    params.n_ctx = orders.window
    params.n_parallel = 1
    params.n_batch = _TOKENS_AT_ONCE  # it says how far it has read after each
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = usable_cores()
    params.speculative.types = [
        runtime.common_speculative_type.COMMON_SPECULATIVE_TYPE_NGRAM_SIMPLE,
    ]
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [key]
    params.cors_origins = "http://127.0.0.1"
    params.ui = False
    params.endpoint_slots = True
    params.endpoint_props = False
    params.slot_save_path = f"{orders.heads}/"
    params.cache_prompt = True
    params.cache_ram_mib = _PROMPTS_IN_MEMORY_MIB
    params.warmup = False
    params.verbosity = _ONLY_WARNINGS
    return params


def _gpu_bytes(runtime: Any) -> int:
    """The memory of graphics cards of their own; on a Mac it is the same memory."""
    if sys.platform == "darwin":
        return 0
    return sum(
        int(device["memory_free"])
        for device in runtime.get_device_info()
        if device["type"].name.endswith("_GPU")
    )


def _serve(orders: Orders, state: ServerFolder, address: str) -> NoReturn:
    limits = [limit for limit in (orders.idle_s, orders.unused_s) if limit >= 0]
    step_s = min(_LONGEST_STEP_S, max(_SHORTEST_STEP_S, min(limits) / 10))
    attended = time.monotonic()
    while True:
        time.sleep(step_s)
        if not state.is_of(orders.sign_of_life):
            os._exit(0)  # its folder was deleted: nobody can find it
        if state.attended:
            attended = time.monotonic()
        idle = time.monotonic() - attended > orders.idle_s
        unused = 0 <= orders.unused_s < state.unused_s()
        if (idle or unused) and not _is_answering(address, state.key):
            with state.changing():  # nobody starts to use it now
                if unused or not state.attended:
                    os._exit(0)  # at once: the runtime has nothing to save


def _is_answering(address: str, key: str) -> bool:
    request = Request(f"{address}/slots", headers={"Authorization": f"Bearer {key}"})  # noqa: S310
    try:
        with build_opener(ProxyHandler({})).open(request, timeout=_QUESTION_S) as response:
            return any(slot.get("is_processing") for slot in json.load(response))
    except (OSError, ValueError):
        return False


def available_bytes(groups: Path | None = None, own: Path | None = None) -> int:
    """The memory that a new process can take without swapping.

    Args:
        groups: Where the system keeps its control groups; None: the usual place.
        own: The file that names those of this process; None: the usual one.
    """
    free = int(psutil.virtual_memory().available)
    left = memory_left_bytes(groups, own)
    return free if left is None else max(0, min(free, left))


def usable_cores(groups: Path | None = None, own: Path | None = None) -> int:
    """The cores that this process may use: the physical ones, fewer by affinity or by quota."""
    cores = psutil.cpu_count(logical=False) or os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        cores = min(cores, len(os.sched_getaffinity(0)))
    for folder in group_folders(groups, own):
        try:
            quota, period = (folder / "cpu.max").read_text("ascii").split()
            cores = min(cores, int(quota) // int(period))
        except (OSError, ValueError):
            continue  # no such file, or "max"
    return max(1, cores)


def needed_bytes(size_bytes: int, head: WeightsHead, window: int) -> int:
    """The memory that the runtime takes for a model: weights, window and working space."""
    working = _TOKENS_AT_ONCE * head.vocabulary * _BYTES_PER_SCORE
    return size_bytes + head.cache_bytes(window) + working + _RUNTIME_BYTES


def too_little(path: Path, window: int, available: int) -> str | None:
    """What to tell the user when the model does not fit; None when it does.

    Args:
        path: The file of weights.
        window: The tokens that prompt and reply may take.
        available: The bytes that are left.

    Raises:
        ModelError: The file cannot be read.
    """
    head = WeightsHead.of(path)
    files = [path.with_name(name) for name in split_files(path.name)]
    size = sum(file.stat().st_size for file in files if file.exists())
    needed = needed_bytes(size, head, window)
    if needed <= available:
        return None
    cache = head.cache_bytes(window)
    return (
        f"{path.name} needs about {_gb(needed)} of memory ({_gb(size)} for the weights, "
        f"{_gb(cache)} for a window of {window} tokens) and {_gb(available)} are left. Use a "
        f"smaller model or a smaller llm.contextWindow (now {window}), or close other programs."
    )


def _gb(size: int) -> str:
    return f"{size / _GB:.1f} GB"


if __name__ == "__main__":
    main()
