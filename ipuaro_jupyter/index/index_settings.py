"""How the index is made and kept."""

from pydantic import Field

from ipuaro_jupyter.records.record import Record


class IndexSettings(Record):
    """How the index is made and kept.

    ``workers``: processes that parse, None for one per processor. ``inline_bytes``: so much
    changed source is parsed without them. ``scan_interval_s``: after how long an answer about the
    whole project looks for changed files again; longer where looking takes long, up to a second,
    or ten where the project is watched. ``parsed_bytes``: so much source is parsed to tell
    references apart, at about 10 MB a second.
    """

    workers: int | None = Field(default=None, ge=1)
    inline_bytes: int = Field(default=2_000_000, ge=0)
    scan_interval_s: float = Field(default=0.0, ge=0)
    parsed_bytes: int = Field(default=2_000_000, ge=0)
