"""Settings for making and keeping the index."""

import re

from pydantic import Field, field_validator

from ipuaro_jupyter.records.record import Record

_EXECUTORS = re.compile(
    r"processes|ipyparallel:\w[\w.-]*|dask:(?:(?:tcp|tls|wss?)://)?(?:[\w.-]+|\[[\da-fA-F:.]+\]):\d+"
)


class IndexSettings(Record):
    """Settings for making and keeping the index."""

    ignore_patterns: tuple[str, ...] = Field(
        (),
        description="Patterns of what to exclude beyond `.gitignore`, in its syntax, such as "
        "`dist/`, `/docs/api` or `*.gen.ts`; they exclude tracked files, too. Excluded files can "
        "still be read by name.",
    )
    workers: int | None = Field(
        None, ge=1, le=128, description="Worker processes that parse; null is one per processor."
    )
    executor: str = Field(
        "processes",
        description="What parses large amounts: processes of this machine (`processes`), or the "
        "engines of a running cluster: `ipyparallel:PROFILE` or `dask:ADDRESS`, such as "
        "`dask:tcp://10.0.0.5:8786`, each with the extra of that name. The text of your code is "
        "sent to these; only your own settings can say so.",
    )
    inline_bytes: int = Field(
        2_000_000,
        ge=0,
        description="Up to this many bytes of changed source are parsed without workers.",
    )
    scan_interval_s: float = Field(
        0.0,
        ge=0,
        description="Without the watcher, seconds after which a result about the whole project "
        "checks for changed files again; in between, it says so.",
    )
    parsed_bytes: int = Field(
        2_000_000,
        ge=0,
        description="Up to this many bytes of source are parsed to resolve references, at about "
        "10 MB a second.",
    )

    @field_validator("executor")
    @classmethod
    def _well_formed(cls, executor: str) -> str:
        if not _EXECUTORS.fullmatch(executor):
            told = (
                'it is "processes", "ipyparallel:PROFILE" with the name of an IPython profile, or '
                '"dask:ADDRESS" with the address of a scheduler, such as "dask:tcp://10.0.0.5:8786"'
            )
            raise ValueError(told)
        return executor
