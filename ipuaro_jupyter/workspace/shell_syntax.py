"""Shell text taken apart into the simple commands that it would run.

tree-sitter finds the commands, however deep they sit in lists, pipes, loops and substitutions.
Their words are then read as a shell reads them: quotes and backslashes go, braces multiply,
unquoted variables are split. A value that only the run can know stands as `UNKNOWN`, or as nothing.
So a command may have more than one possible argv, and each of them has to be judged.
"""

import itertools
import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from ipuaro_jupyter.workspace.shell_words import (
    UNKNOWN,
    Piece,
    choices,
    expand_braces,
    literal_output,
    rough_commands,
    split_fields,
    unescape_ansi_c,
    unescape_double_quoted,
    unescape_word,
    without_keywords,
)

Argv = tuple[str, ...]
_MOST_VALUES = 8  # of one variable
_LANGUAGE = Language(tree_sitter_bash.language())
_TRANSPARENT = {"concatenation", "command_name", "translated_string", "array"}
_DECLARING = {"export", "declare", "typeset", "readonly", "local"}


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """One command: what its argv may be, and texts that it may read from its standard input.

    ``assignments`` are the variables set for it alone, as (name, value).
    """

    argvs: tuple[Argv, ...]
    assignments: tuple[tuple[str, str], ...] = ()
    inputs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Script:
    """All commands of a text, from the outside in.

    ``plain`` is the argv of a text that is one command of literal words and nothing else; None
    where there is an operator, a redirection, an expansion or whatever else a shell would act on.
    ``broken`` says that the text could not be parsed completely.
    """

    commands: tuple[SimpleCommand, ...]
    plain: Argv | None
    broken: bool


def parse(text: str, positional: Sequence[str] = ()) -> Script:
    """Take shell text apart; ``positional`` are the values of ``$0``, ``$1`` and so on."""
    known: dict[str, list[str]] = {str(i): [value] for i, value in enumerate(positional)}
    if len(positional) > 1:
        known["@"] = known["*"] = [" ".join(positional[1:])]
    source = re.sub(
        r"(?<!\\)\n(?=\\[^\n])", "\n ", text
    )  # else the grammar overlooks the line's end
    root = Parser(_LANGUAGE).parse(_masked(source)).root_node
    reader = _Reader(source, known)
    for _ in range(2):  # once to learn the variables, once more to use them
        reader.commands.clear()
        reader.visit(root, ())
    broken = root.has_error or reader.misread
    commands = [*reader.commands]
    if broken:
        commands += [SimpleCommand(argvs=(tuple(words),)) for words in rough_commands(text)]
    plain = None if broken else _plain(text, root, reader.commands)
    return Script(commands=tuple(commands), plain=plain, broken=broken)


def _masked(text: str) -> bytes:
    """Return bytes of the same length in which whatever is not ASCII has become a percent sign.

    tree-sitter-bash crashes the process on some characters (``{`` before U+108956 is one case).
    A shell takes them for parts of words like any other. Bytes now count as characters do.
    """
    return re.sub(r"[^\t\n\x20-\x7e]", "%", text).encode("ascii")


def _plain(text: str, root: Node, commands: Sequence[SimpleCommand]) -> Argv | None:
    """Return the argv of a single literal command, if `shlex` reads the same words."""
    nodes = [node for node in root.children if node.type != "comment"]
    if len(nodes) != 1 or nodes[0].type != "command" or len(commands) != 1:
        return None
    if any(_is_active(child) or _has_braces(child) for child in nodes[0].children):
        return None
    try:
        words = shlex.split(text)
    except ValueError:
        return None
    argvs = commands[0].argvs
    return argvs[0] if len(argvs) == 1 and list(argvs[0]) == words else None


def _is_active(node: Node) -> bool:
    """Whether a shell would do more with this part of a command than to remove its quotes."""
    literal = {"word", "number", "raw_string", "string", "string_content", '"', "command_name"}
    text = node.text or b""
    if node.type not in {*literal, "concatenation"}:
        return True
    if node.type == "word" and text.startswith((b"~", b"*", b"?", b"[")):
        return True  # a file that is named like an option would become one
    return any(_is_active(child) for child in node.children)


def _has_braces(node: Node) -> bool:
    text = node.text or b""
    return (
        node.type in {"word", "concatenation"} and b"{" in text and (b"," in text or b".." in text)
    )


@dataclass
class _Reader:
    """Walks the tree; remembers the variables, functions and commands that it comes across."""

    source: str
    values: dict[str, list[str]]
    commands: list[SimpleCommand] = field(default_factory=list)
    functions: set[str] = field(default_factory=set)
    misread: bool = False

    def visit(self, node: Node, inputs: tuple[str, ...]) -> tuple[str, ...]:
        """Read a statement whose standard input may be ``inputs``; return what it may print."""
        if node.type == "command":
            return self._command(node, inputs)
        if node.type == "pipeline":
            for child in node.named_children:
                inputs = self.visit(child, inputs)
            return inputs
        if node.type == "redirected_statement":
            return self._redirected(node, inputs)
        if node.type == "variable_assignment":
            self._assign(node)
            return ()
        if node.type == "function_definition":
            name = node.child_by_field_name("name")
            self.functions.add(self._text(name) if name else "")
        if node.type == "for_statement":
            self._loop(node)
        if node.type == "command_substitution" and self._text(node).startswith("`"):
            self._backquoted(self._text(node)[1:-1])
        if node.type == "declaration_command":
            self._declare(node)
        outputs = [self.visit(child, inputs) for child in node.named_children]
        return next((output for output in outputs if output), ())

    def _backquoted(self, text: str) -> None:
        r"""Read the inner of \`…\`, where a backslash may hide another substitution."""
        plain = re.sub(r"\\([$`\\])", r"\1", text)
        if plain != text:
            self.commands += parse(plain).commands

    def _redirected(self, node: Node, inputs: tuple[str, ...]) -> tuple[str, ...]:
        redirects = node.children_by_field_name("redirect")
        inputs = tuple(itertools.chain(inputs, *(self._redirect(r) for r in redirects)))
        late = [word for redirect in redirects for word in _words_after(redirect)]
        body = node.child_by_field_name("body")
        if body is None:
            outputs = inputs
        elif body.type == "command":
            outputs = self._command(body, inputs, late)
        else:
            outputs = self.visit(body, inputs)
        for redirect in redirects:
            for child in redirect.named_children:
                if child.type == "pipeline":  # `cat <<EOF | sh`
                    outputs = self.visit(child, outputs)
        return outputs

    def _redirect(self, node: Node) -> tuple[str, ...]:
        """Return the texts that a redirection puts on the standard input."""
        if node.type == "heredoc_redirect":
            texts: list[str] = []
            for child in node.named_children:
                if child.type == "heredoc_body":
                    texts += self._heredoc(child)
                elif child.type != "pipeline":
                    self.visit(child, ())
            return tuple(texts)
        words = [self._alternatives(child) for child in node.named_children]
        if node.type != "herestring_redirect":
            return ()
        return tuple(" ".join(fields) for alternatives in words for fields in alternatives)

    def _heredoc(self, node: Node) -> list[str]:
        if not node.named_children:
            return [self._text(node)]
        return _joined(self._inside(node, quoted=True))

    def _command(
        self, node: Node, inputs: tuple[str, ...], late: Sequence[Node] = ()
    ) -> tuple[str, ...]:
        """Read a command; ``late`` are arguments that stand behind its redirections."""
        assignments: list[tuple[str, str]] = []
        words: list[list[Argv]] = []
        extra: list[str] = list(inputs)
        for index, child in enumerate(node.children):
            role = node.field_name_for_child(index)
            if child.type == "variable_assignment":
                assignments += self._assign(child)
            elif role in ("name", "argument"):
                words.append(self._alternatives(child))
                extra += self._substituted_files(child)
            elif child.type.endswith("redirect"):
                extra += self._redirect(child)
            else:  # `! { (…); }`
                self.visit(child, inputs)
        words += [self._alternatives(word) for word in late]
        argvs = tuple(without_keywords(argv) for argv in _combinations(words))
        command = SimpleCommand(argvs, tuple(assignments), tuple(extra))
        self.commands.append(command)
        for argv in argvs:
            self._learn(argv)
        return literal_output(argvs, command.inputs)

    def _substituted_files(self, node: Node) -> list[str]:
        """Return what ``<(…)`` lets a command read."""
        if node.type != "process_substitution":
            return []
        return [text for child in node.named_children for text in self.visit(child, ())]

    def _learn(self, argv: Argv) -> None:
        """Remember the variables that a builtin or a call of a function sets."""
        if not argv:
            return
        arguments = argv[1:]
        if argv[0] == "set" and "--" in arguments:
            arguments = arguments[arguments.index("--") + 1 :]
        elif argv[0] not in self.functions:
            if argv[0] in _DECLARING:
                for argument in arguments:
                    name, equals, value = argument.partition("=")
                    if equals:
                        self._remember(name, value)
            return
        for index, value in enumerate(arguments, 1):
            self._remember(str(index), value)
        for name in "@*":
            self._remember(name, " ".join(arguments))

    def _assign(self, node: Node) -> list[tuple[str, str]]:
        name_node, value_node = (node.child_by_field_name(f) for f in ("name", "value"))
        name = self._text(name_node).partition("[")[0] if name_node else ""
        if name_node is not None and name_node.type == "subscript":
            self.visit(name_node, ())
        values = [" ".join(f) for f in self._alternatives(value_node)] if value_node else [""]
        if any(child.type == "+=" for child in node.children):
            values += [old + new for old in self.values.get(name, ()) for new in values]
        for value in values:
            self._remember(name, value)
        return [(name, value) for value in values]

    def _declare(self, node: Node) -> None:
        for child in node.named_children:
            if child.type not in {"variable_assignment", "variable_name"}:
                self._alternatives(child)

    def _loop(self, node: Node) -> None:
        variable = node.child_by_field_name("variable")
        for child in node.children_by_field_name("value"):
            for fields in self._alternatives(child):
                for value in fields:
                    self._remember(self._text(variable) if variable else "", value)

    def _remember(self, name: str, value: str) -> None:
        values = self.values.setdefault(name, [])
        if value not in values and len(values) < _MOST_VALUES:
            values.append(value)

    def _alternatives(self, node: Node) -> list[Argv]:
        """Return the fields that a word may become: none, one or several."""
        pieces = self._pieces(node)
        braces = b"{" in (node.text or b"")
        found: list[Argv] = []
        for texts in choices([piece.values for piece in pieces]):
            fields = split_fields(zip(texts, [piece.splits for piece in pieces], strict=True))
            expanded = [part for f in fields for part in (expand_braces(f) if braces else [f])]
            if tuple(expanded) not in found:
                found.append(tuple(expanded))
        return found

    def _pieces(self, node: Node) -> list[Piece]:  # noqa: PLR0911 - one line for each kind
        text = self._text(node)
        if node.type == "word":
            self.misread = self.misread or re.search(r"(?<!\\)\n", text) is not None
            return [Piece([unescape_word(text)])]
        if node.type == "raw_string":
            return [Piece([text[1:-1]])]
        if node.type == "ansi_c_string":
            return [Piece([unescape_ansi_c(text[2:-1])])]
        if node.type == "string":
            return [Piece([""]), *self._inside(node, quoted=True)]
        if node.type in _TRANSPARENT:
            return self._inside(node, quoted=False)
        if node.type in {"simple_expansion", "expansion"}:
            return [Piece(self._expansion(node), splits=True)]
        if node.type == "command_substitution":
            outputs = [text.rstrip("\n") for text in self.visit(node, ())]
            return [Piece(outputs or ["", UNKNOWN], splits=True)]
        for child in node.named_children:
            self.visit(child, ())
        unknown = node.named_child_count and node.type != "variable_assignment"
        return [Piece([UNKNOWN if unknown else text])]

    def _inside(self, node: Node, *, quoted: bool) -> list[Piece]:
        """Return the pieces of a node's children, with the text between them."""
        pieces: list[Piece] = []
        at = node.start_byte
        for child in node.children:
            pieces += self._between(at, child.start_byte, quoted=quoted, array=node.type == "array")
            if child.type == "string_content":
                pieces.append(Piece([unescape_double_quoted(self._text(child))]))
            elif child.type == "heredoc_content":
                pieces.append(Piece([self._text(child)]))
            elif child.is_named:
                inner = self._pieces(child)
                everything = self._text(child).strip('"${}').endswith(("@", "[@]"))
                pieces += [p.quoted() if quoted and not everything else p for p in inner]
            at = child.end_byte
        return pieces

    def _between(self, start: int, end: int, *, quoted: bool, array: bool) -> list[Piece]:
        gap = self.source[start:end]
        if array and gap:
            return [Piece([" "], splits=True)]
        return [Piece([gap])] if gap and quoted else []

    def _expansion(self, node: Node) -> list[str]:
        """Return the values that a variable may have; any words in the braces are values too."""
        names = [c for c in node.children if c.type in {"variable_name", "special_variable_name"}]
        for child in node.children:
            indexed = child.child_by_field_name("name") if child.type == "subscript" else None
            names += [indexed] if indexed else []
        name = self._text(names[0]) if names else ""
        if name == "IFS":
            return [" "]
        operators = [c for c in node.children if not c.is_named]
        words = [
            " ".join(fields)
            for child in node.named_children
            if child not in names and child.type != "subscript"
            for fields in self._alternatives(child)
        ]
        for word in words:
            self._remember(name, word)
        changed = len(operators) > 2 and not words  # noqa: PLR2004 - `${` and `}`
        known = self.values.get(name)
        return [UNKNOWN] if changed else list(known) if known else ["", UNKNOWN]

    def _text(self, node: Node) -> str:
        return self.source[node.start_byte : node.end_byte]


def _words_after(redirect: Node) -> list[Node]:
    """Return the words that the grammar takes for a part of a redirection, but the shell not."""
    words = redirect.children_by_field_name("destination")[1:]
    words += redirect.children_by_field_name("argument")
    for inner in redirect.children_by_field_name("redirect"):
        words += _words_after(inner)
    return words


def _joined(pieces: Iterable[Piece]) -> list[str]:
    return ["".join(texts) for texts in choices([piece.values for piece in pieces])]


def _combinations(words: Sequence[Sequence[Argv]]) -> tuple[Argv, ...]:
    found: dict[Argv, None] = {}
    for choice in choices(words):
        found.setdefault(tuple(itertools.chain.from_iterable(choice)))
    return tuple(found)
