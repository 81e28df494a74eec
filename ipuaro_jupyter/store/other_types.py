"""Keys that hold values of another type than ours, which another program has put there."""

import re
from collections.abc import Mapping

from ipuaro_jupyter.errors import WrongKeyType
from ipuaro_jupyter.store.connection import Store
from ipuaro_jupyter.store.key_commands import PROBES, KeyType

COUNT = re.compile(rb"0|-?[1-9]\d{0,17}")
"""A number to which the server can add."""
_DROP = """
local dropped = 0
for i = 1, #KEYS do
  local found = redis.pcall(ARGV[i], KEYS[i])
  if type(found) == 'table' and found.err and string.find(found.err, 'WRONGTYPE') then
    redis.call('UNLINK', KEYS[i])
    dropped = dropped + 2 ^ (i - 1)
  end
end
return dropped
"""


def drop_other_types(store: Store, types: Mapping[str, KeyType]) -> list[str]:
    """Delete keys whose values are of other types than these; return their names.

    Args:
        store: The server.
        types: What each key is to hold; all have one hash tag, and strings are short.
    """
    try:
        store.check_types(types)
    except WrongKeyType:
        first, *others = types
        probes = [PROBES[one] for one in types.values()]
        dropped = store.evaluate(_DROP, first, *probes, others=others)
        return [key for place, key in enumerate(types) if dropped >> place & 1]
    return []
