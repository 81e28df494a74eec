"""How the template of a component spells names, for a rename."""

import re
from typing import NamedTuple

from ipuaro_jupyter.languages.components.component_code import template_of
from ipuaro_jupyter.languages.components.spelling import camel, kebab, pascal

_SPELLED = re.compile(rb"[A-Za-z][\w-]*")


class Spelled(NamedTuple):
    """A range of bytes to replace, and the text for it."""

    start: int
    end: int
    text: str


def respelled(path: str, data: bytes, offset: int, name: str, to: str) -> Spelled | None:
    """What a new name is to be written as at a place of a template; None for any other place.

    Args:
        path: The file.
        data: Its content.
        offset: The place.
        name: The present name.
        to: The new name.
    """
    code = template_of(path, data)
    if code is None or not code.is_template(offset):
        return None
    shorthand = code.shorthands.get(offset)
    if shorthand is not None:
        return Spelled(shorthand.start, shorthand.end, shorthand.form.replace("{to}", to))
    found = _SPELLED.match(data, offset)
    if found is None or name.encode() not in (pascal(found[0]), camel(found[0])):
        return None
    if found[0] == name.encode():
        return None
    written = kebab(to.encode())
    is_same = to.encode() in (pascal(written), camel(written))
    return Spelled(offset, found.end(), (written if is_same else to.encode()).decode())
