"""All that an index holds, in a form in which two that are alike are equal."""

from array import array

from ipuaro_jupyter.index.storage.file_ids import unpack
from ipuaro_jupyter.index.storage.seals import unsealed
from ipuaro_jupyter.index.storage.stored_index import FileEntry, decode, decode_symbols

_OF_ITS_TIME = (
    *(b"generation", b"shape", b"graph", b"changes", b"seconds", b"parsed", b"known"),
    b"configs",
)


def everything_in(index):
    """Return everything that an index holds, by key and field.

    Left out is what depends on when and how it was made; what is stored in no order is sorted.
    """
    stored, keys = index._stored, index._stored.keys
    found = {key: stored.store.hgetall(key) for key in stored.key_names}
    for name in _OF_ITS_TIME:
        found[keys.index_info].pop(name, None)
    counts = found[keys.index_info].pop(b"counts")
    for key, fields in found.items():
        found[key] = {name: unsealed(name, value) for name, value in fields.items()}
    found["counts"] = counts
    for path, value in found[keys.files].items():
        entry = decode(FileEntry, value)
        fields = (entry.size, entry.hash, entry.language, entry.number, entry.symbols)
        found[keys.files][path] = (*fields, entry.reason)
    for token, value in found[keys.tokens].items():
        found[keys.tokens][token] = unpack(value)
    for row, value in found[stored.words_key].items():
        found[stored.words_key][row] = sorted(array("Q", value))
    for name, value in found[keys.symbols].items():
        found[keys.symbols][name] = sorted(decode_symbols(value))
    return found
