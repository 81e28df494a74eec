"""Work out which rows of the index change when some files do."""

from array import array
from collections import defaultdict

from ipuaro_jupyter.index.extract.facts_format import unpack_facts
from ipuaro_jupyter.index.extract.file_words import word_cells, words_by_row
from ipuaro_jupyter.index.extract.postings import counts
from ipuaro_jupyter.index.extract.symbols import symbols_of
from ipuaro_jupyter.index.storage.index_change import IndexChange, keeps_files
from ipuaro_jupyter.index.storage.linking import Linker, is_config
from ipuaro_jupyter.index.storage.relinking import Relinking
from ipuaro_jupyter.index.storage.stored_index import StoredIndex, SymbolEntry, decode, encode
from ipuaro_jupyter.index.storage.write_batch import WriteBatch


class Update:
    """The rows that a change of files makes.

    Args:
        stored: The index before.
        change: The change.
        linker: Resolves imports among the files afterwards.
    """

    def __init__(
        self,
        stored: StoredIndex,
        change: IndexChange,
        linker: Linker,
    ) -> None:
        self._stored = stored
        self._change = change
        self._linker = linker
        self.rows = WriteBatch(stored, len(change.entries))
        self.keeps_shape = self.keeps_graph = False
        """Whether these stay the same (see `Snapshot`), once the rows are made."""

    def make(self, *, relink: bool) -> WriteBatch:
        """The changed rows. ``relink`` says that imports of all files may resolve differently."""
        change, rows = self._change, self.rows
        keeps_shape = keeps_files(change)
        for path in change.noted:
            rows.put_entry(path, change.entries[path])
        for path in change.gone:
            rows.drop_entry(path)
        for path, parsed in change.parsed.items():
            rows.put_file(path, change.ids[path], parsed)
        for path, entry in change.left.items():
            rows.drop_file(path, entry.number)
        if change.parsed or change.left:
            self._put_tokens()
            self._put_words()
            keeps_shape &= self._put_symbols()
        (configs,) = self._stored.info("configs")
        known = set(decode(list[str], configs)) if configs else set()
        seen = [path for path in (*change.noted, *change.gone) if is_config(path, known)]
        everything = relink or bool(seen)  # one may have been read while it was written
        if everything:
            known.clear()
        if everything or change.moves_paths or change.parsed or change.left:
            relinking = Relinking(self._stored, change, self._linker, rows)
            keeps_shape &= relinking.run(everything=everything)
        self.keeps_shape = keeps_shape
        self.keeps_graph = keeps_files(change) and not rows.changes(self._stored.keys.dependents)
        rows.put_info("configs", encode(sorted(known | self._linker.resolver.config_paths)))
        return rows

    def _put_tokens(self) -> None:
        before = self._stored.postings(self._change.indexed_before)
        changed = defaultdict(dict, {t: dict(c) for t, c in self._change.tokens.items()})
        for path, blob in before.items():
            number = self._change.ids[path]
            for token, count in counts(blob):
                new = changed[token].setdefault(number, 0)
                if new == count:
                    del changed[token][number]
        changed_names = [token for token, counted in changed.items() if counted]
        current = self._stored.tokens(changed_names)
        for token in changed_names:
            merged = current.get(token, {}) | changed[token]
            self.rows.put_token(token, [pair for pair in merged.items() if pair[1]])

    def _put_words(self) -> None:
        change = self._change
        before = self._stored.file_words(change.indexed_before)
        now = {path: parsed.words for path, parsed in change.parsed.items()}
        stale, fresh = (
            {cell for path, words in some.items() for cell in word_cells(change.ids[path], words)}
            for some in (before, now)
        )
        gone, added = stale - fresh, words_by_row([fresh - stale])
        rows = added.keys() | words_by_row([gone]).keys()
        current = self._stored.words([*rows])
        for row in rows:
            kept = array("Q", current.get(row, b""))
            self.rows.put_words(
                row, [*(c for c in kept if c not in gone), *array("Q", added.get(row, b""))]
            )

    def _put_symbols(self) -> bool:
        """Put the declarations that have changed; return whether only their lines have."""
        keeps_all = True
        before = self._stored.blobs(self._change.indexed_before)
        fresh = self._change.symbols
        stale: defaultdict[str, set[int]] = defaultdict(set)
        for path, blob in before.items():
            for name, *_ in symbols_of(unpack_facts(blob)):
                stale[name].add(self._change.ids[path])
        current = self._stored.called([*(stale.keys() | fresh.keys())])
        for name in stale.keys() | fresh.keys():
            old = current.get(name, [])
            kept = [entry for entry in old if entry.number not in stale[name]]
            new = [*kept, *fresh.get(name, ())]
            if sorted(new) != sorted(old):
                self.rows.put_symbol(name, new)
                keeps_all &= _lineless(new) == _lineless(old)
        symbols = sum(entry.symbols for entry in self._change.entries.values())
        self.rows.put_info("symbols", encode(symbols))
        return keeps_all


def _lineless(entries: list[SymbolEntry]) -> list[tuple[int, str, str]]:
    return sorted((entry.number, entry.kind, entry.qualified) for entry in entries)
