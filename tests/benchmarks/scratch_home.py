"""A home for a benchmark's own store, which is gone afterwards."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def scratch_home() -> Iterator[Path]:
    """Keep all that is stored in a new folder during the block; then stop its server, delete it."""
    with tempfile.TemporaryDirectory(prefix="ipuaro-", ignore_cleanup_errors=True) as home:
        os.environ["IPUARO_HOME"] = home
        try:
            yield Path(home)
        finally:
            from ipuaro_jupyter.store.embedded import stop

            stop()
