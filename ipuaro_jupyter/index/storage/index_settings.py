"""Settings for making and keeping the index."""

from pydantic import Field

from ipuaro_jupyter.records.record import Record


class IndexSettings(Record):
    """Settings for making and keeping the index."""

    ignore_patterns: tuple[str, ...] = Field(
        (),
        description="What is left out beside what `.gitignore` names, in its form, as in `dist/`, "
        "`/docs/api` or `*.gen.ts`; also where git tracks it. It can be read when it is named.",
    )
    workers: int | None = Field(
        None, ge=1, description="Processes that parse; null is one per processor."
    )
    inline_bytes: int = Field(
        2_000_000, ge=0, description="So much changed source is parsed without them."
    )
    scan_interval_s: float = Field(
        0.0,
        ge=0,
        description="Seconds after which an answer about the whole project looks for changed files "
        "again; longer where looking takes long.",
    )
    parsed_bytes: int = Field(
        2_000_000,
        ge=0,
        description="So much source is parsed to tell references apart, at about 10 MB a second.",
    )
