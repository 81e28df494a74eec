"""The worker in which long texts are tried before the kernel's process parses them."""

from concurrent.futures import wait

from ipuaro_jupyter.cancellation import watched
from ipuaro_jupyter.index.storage.spare_worker import SpareWorker
from ipuaro_jupyter.index.storage.workers import WorkerError
from ipuaro_jupyter.languages.parse_trial import is_soon_parsed

_SPARE = SpareWorker()
_TICK_S = 0.05


def is_tried_well(name: str, data: bytes, seconds: float) -> bool:
    """Whether a worker parses a text in time; true when the system starts none.

    Args:
        name: A language with a grammar.
        data: UTF-8.
        seconds: The limit, of CPU time.

    Raises:
        Cancelled: The token in force was set.
    """
    stop, worker, is_idle = watched(), _SPARE.take(), False
    try:
        future = worker.submit(is_soon_parsed, name, data, seconds)
        while not wait([future], timeout=_TICK_S).done:
            stop.check()
        is_idle = True
        return bool(future.result())
    except WorkerError:
        return False
    except OSError:
        return True
    finally:
        if is_idle:
            _SPARE.give_back(worker)
        else:
            worker.shutdown(wait=False, cancel_futures=True)


def close() -> None:
    """End the worker; the next text gets a new one."""
    _SPARE.close()
