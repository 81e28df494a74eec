"""What the index takes out of the answer of a parser, beside passing it on."""

from dataclasses import dataclass

from ipuaro_jupyter.index import postings
from ipuaro_jupyter.index.answers import decode_answer
from ipuaro_jupyter.index.stored import Meta, Module, decode
from ipuaro_jupyter.index.symbols import SymbolRow


@dataclass(frozen=True)
class ParsedFile:
    """What the index keeps of a parsed file, as stored where the name ends in ``blob``.

    ``symbols`` are those of `symbols.symbol_rows`. ``problem`` says why only its lines are known.
    """

    language: str
    hash: str
    blob: bytes
    meta_blob: bytes
    module_blob: bytes
    definitions_blob: bytes
    postings: bytes
    symbols: list[SymbolRow]
    problem: str = ""

    @property
    def module(self) -> Module:
        """The imports and exports."""
        return decode(Module, self.module_blob)

    @property
    def meta(self) -> Meta:
        """The figures."""
        return decode(Meta, self.meta_blob)

    @property
    def token_counts(self) -> list[tuple[str, int]]:
        """The identifiers, and how often each occurs."""
        return postings.counts(self.postings)


def decoded(answer: bytes) -> ParsedFile:
    """Return what `parse_file` made of a file."""
    made = decode_answer(answer)
    return ParsedFile(
        language=made.language,
        hash=made.hash,
        blob=made.facts,
        meta_blob=made.meta,
        module_blob=made.module,
        definitions_blob=made.definitions,
        postings=made.postings,
        symbols=made.symbols,
        problem=made.problem,
    )
