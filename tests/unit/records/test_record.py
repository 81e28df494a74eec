"""Plain records stand in other records as those do, and are checked where they are read."""

import pytest
from pydantic import ValidationError

from ipuaro_jupyter.records.record import PlainRecord, Record


class Sail(PlainRecord, frozen=True, gc=False, kw_only=True):
    """A sail."""

    sail_number: int
    torn_at: str | None = None


class Ship(Record):
    """A ship."""

    sails: tuple[Sail, ...] = ()


SHIP = Ship(sails=(Sail(sail_number=1), Sail(sail_number=2, torn_at="noon")))


def test_they_are_written_as_other_records_are():
    assert SHIP.to_dict() == {"sails": [{"sailNumber": 1}, {"sailNumber": 2, "tornAt": "noon"}]}


def test_what_was_written_is_read_back():
    assert Ship.model_validate_json(SHIP.model_dump_json()) == SHIP
    assert Ship.model_validate(SHIP.to_dict()) == SHIP


def test_what_is_read_is_checked():
    with pytest.raises(ValidationError, match="tornAt"):
        Ship.model_validate({"sails": [{"sailNumber": 1, "tornAt": 3}]})
    with pytest.raises(ValidationError, match="extra"):
        Ship.model_validate_json('{"sails": [{"sailNumber": 1, "mast": 3}]}')


def test_the_schema_names_their_fields():
    assert "tornAt" in Ship.model_json_schema()["$defs"]["Sail"]["properties"]


def test_they_are_frozen():
    with pytest.raises(AttributeError):
        SHIP.sails[0].sail_number = 3
