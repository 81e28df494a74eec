"""Read a syntax tree of shell text as a shell would: variables, functions, pipes."""

import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from tree_sitter import Node

from ipuaro_jupyter.workspace.commands.shell_words import (
    UNKNOWN,
    ExpansionBudget,
    WordPart,
    builtin_variables,
    choices,
    expand_braces,
    literal_output,
    split_fields,
    substitutions,
    unescape_ansi_c,
    unescape_double_quoted,
    unescape_word,
    without_keywords,
)

Argv = tuple[str, ...]
_MOST_VALUES = 8  # of one variable
_LONGEST_VALUE = 10_000  # characters; a longer one counts as unknown
_ENDING_IN_COMMANDS = {"pipeline", "list", "negated_command", "declaration_command"}
_TRANSPARENT = {"concatenation", "command_name", "translated_string", "array"}


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """One command: its possible argvs, and texts that it may read from standard input.

    ``assignments`` are the variables set for it, or by it for later commands, as (name, value).
    ``before`` and ``behind`` are the source around its words: assignments and redirections. There
    may be nothing else, as in ``> file`` and ``x=1``.
    """

    argvs: tuple[Argv, ...]
    assignments: tuple[tuple[str, str], ...] = ()
    inputs: tuple[str, ...] = ()
    before: Argv = ()
    behind: Argv = ()


@dataclass
class ShellReader:
    """Walks the tree; remembers the variables, functions and commands it encounters."""

    source: str
    values: dict[str, list[str]]
    parsed: Callable[[str], Iterable[SimpleCommand]]
    budget: ExpansionBudget
    commands: list[SimpleCommand] = field(default_factory=list)
    functions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    misread: bool = False

    def visit(self, node: Node, inputs: tuple[str, ...]) -> tuple[str, ...]:
        """Read a statement whose standard input may be ``inputs``; return its possible output."""
        if node.type == "command":
            return self._command(node, inputs)
        if node.type == "pipeline":
            for child in node.named_children:
                inputs = self.visit(child, inputs)
            return inputs
        if node.type == "redirected_statement":
            return self._redirected(node, inputs)
        if node.type in {"variable_assignment", "declaration_command"}:
            self._set(node)
            return ()
        if node.type == "for_statement":
            self._loop(node)
        if node.type == "file_redirect":  # of a function, or `$(< file)`
            of_function = node.parent is not None and node.parent.type == "function_definition"
            before = ("{ \u2026 }",) if of_function else ()
            self.commands.append(SimpleCommand((), before=before, behind=(self._written(node),)))
        if node.type == "command_substitution" and self._text(node).startswith("`"):
            self._backquoted(self._text(node)[1:-1])
        outputs = [self.visit(child, inputs) for child in node.named_children]
        printed = tuple(dict.fromkeys(itertools.chain.from_iterable(outputs)))[:_MOST_VALUES]
        name = node.child_by_field_name("name") if node.type == "function_definition" else None
        if name is not None:
            self.functions[self._text(name)] = printed
            return ()
        return printed

    def _backquoted(self, text: str) -> None:
        r"""Read the inside of \`…\`, where a backslash may hide another substitution."""
        plain = re.sub(r"\\([$`\\])", r"\1", text)
        if plain != text:
            self.commands += self.parsed(plain)

    def _hidden(self, text: str) -> None:
        """Read the substitutions in a text in which the grammar sees none."""
        for inner in substitutions(text):
            self.commands += self.parsed(inner)

    def _redirected(self, node: Node, inputs: tuple[str, ...]) -> tuple[str, ...]:
        redirects = node.children_by_field_name("redirect")
        inputs = tuple(itertools.chain(inputs, *(self._redirect(r) for r in redirects)))
        body = node.child_by_field_name("body")
        if body is None:
            outputs = inputs
        elif body.type == "command":
            outputs = self._command(body, inputs, redirects)
        else:
            outputs = self.visit(body, inputs)
        if body is None or body.type != "command":
            self._redirect_all(body, redirects)
        for redirect in redirects:
            for child in redirect.named_children:
                if child.type == "pipeline":  # `cat <<EOF | sh`
                    outputs = self.visit(child, outputs)
        return outputs

    def _redirect_all(self, body: Node | None, redirects: Sequence[Node]) -> None:
        """Record the redirections of a compound: on its last command, on none or on all of it."""
        behind = tuple(map(self._written, redirects))
        if body is not None and body.type in _ENDING_IN_COMMANDS:
            last = self.commands.pop() if self.commands else SimpleCommand(())
            self.commands.append(replace(last, behind=(*last.behind, *behind)))
        else:
            before = () if body is None else ("{ \u2026 }",)
            self.commands.append(SimpleCommand((), before=before, behind=behind))

    def _written(self, redirect: Node) -> str:
        """A redirection without the parts that the grammar wrongly includes."""
        if redirect.type == "heredoc_redirect":
            starts = [c for c in redirect.named_children if c.type == "heredoc_start"]
            last = starts[0] if starts else redirect
        else:
            last = redirect.child_by_field_name("destination") or redirect
        return self.source[redirect.start_byte : last.end_byte]

    def _redirect(self, node: Node) -> tuple[str, ...]:
        """The texts that a redirection puts on standard input."""
        if node.type == "heredoc_redirect":
            texts: list[str] = []
            literal = False
            for child in node.named_children:
                if child.type == "heredoc_start":
                    literal = any(sign in self._text(child) for sign in "'\"\\")
                elif child.type == "heredoc_body":
                    texts += self._heredoc(child, literal=literal)
                elif child.type != "pipeline":
                    self.visit(child, ())
            return tuple(texts)
        words = [self._alternatives(child) for child in node.named_children]
        if node.type != "herestring_redirect":
            return ()
        return tuple(" ".join(fields) for alternatives in words for fields in alternatives)

    def _heredoc(self, node: Node, *, literal: bool) -> list[str]:
        text = self._text(node)
        if literal:
            return [text]
        self._hidden(text)
        return _joined(self._inside(node, quoted=True)) if node.named_children else [text]

    def _command(
        self, node: Node, inputs: tuple[str, ...], redirects: Sequence[Node] = ()
    ) -> tuple[str, ...]:
        """Read a command with the redirections around it, and the arguments after these."""
        assignments: list[tuple[str, str]] = []
        before: list[str] = []
        behind = [self._written(redirect) for redirect in redirects]
        words: list[list[Argv]] = []
        extra: list[str] = list(inputs)
        for index, child in enumerate(node.children):
            role = node.field_name_for_child(index)
            if child.type == "variable_assignment":
                assignments += self._assign(child)
                before.append(self._text(child))
            elif role in ("name", "argument"):
                words.append(self._alternatives(child))
                extra += self._substituted_files(child, inputs)
            elif child.type.endswith("redirect"):
                extra += self._redirect(child)
                behind.append(self._written(child))
            else:  # `! { (…); }`
                self.visit(child, inputs)
        late = [word for redirect in redirects for word in _words_after(redirect)]
        words += [self._alternatives(word) for word in late]
        argvs = tuple(without_keywords(argv) for argv in _combinations(words))
        self.budget.take(sum(map(len, argvs)))
        command = SimpleCommand(
            argvs, tuple(assignments), tuple(extra), before=tuple(before), behind=tuple(behind)
        )
        self.commands.append(command)
        printed = list(literal_output(argvs, command.inputs))
        for argv in argvs:
            self._learn(argv, command.inputs)
            printed += self.functions.get(argv[0], ()) if argv else ()
        return tuple(printed)

    def _substituted_files(self, node: Node, inputs: tuple[str, ...]) -> list[str]:
        """The texts that ``<(…)`` lets a command read; ``>(…)`` may read ``inputs``."""
        if node.type != "process_substitution":
            return []
        if self._text(node).startswith(">"):
            for child in node.named_children:
                self.visit(child, inputs)
            return []
        return [text for child in node.named_children for text in self.visit(child, ())]

    def _learn(self, argv: Argv, inputs: tuple[str, ...]) -> None:
        """Remember the variables that a builtin or a function call sets."""
        if not argv:
            return
        arguments = argv[1:]
        for name, value in builtin_variables(argv, inputs):
            self._remember(name, value)
        if argv[0] == "set" and "--" in arguments:
            arguments = arguments[arguments.index("--") + 1 :]
        elif argv[0] not in self.functions:
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

    def _set(self, node: Node) -> None:
        """Read ``x=1``, ``export x=1`` and the like, which set variables for later commands."""
        if node.type == "variable_assignment":
            self._assign(node)
            self.commands.append(SimpleCommand((), before=(self._text(node),)))
            return
        assignments: list[tuple[str, str]] = []
        for child in node.named_children:
            if child.type == "variable_assignment":
                assignments += self._assign(child)
            elif child.type != "variable_name":
                self._alternatives(child)
        self.commands.append(SimpleCommand((), tuple(assignments), before=(self._text(node),)))

    def _loop(self, node: Node) -> None:
        variable = node.child_by_field_name("variable")
        for child in node.children_by_field_name("value"):
            for fields in self._alternatives(child):
                for value in fields:
                    self._remember(self._text(variable) if variable else "", value)

    def _remember(self, name: str, value: str) -> None:
        values = self.values.setdefault(name, [])
        value = value if len(value) <= _LONGEST_VALUE else UNKNOWN
        if value not in values:
            values[_MOST_VALUES - 1 :] = [value]

    def _alternatives(self, node: Node) -> list[Argv]:
        """The fields that a word may become: none, one or several."""
        pieces = self._pieces(node)
        braces = b"{" in (node.text or b"")
        found: list[Argv] = []
        for texts in choices([piece.values for piece in pieces]):
            self.budget.take(sum(map(len, texts)))
            fields = split_fields(zip(texts, [piece.splits for piece in pieces], strict=True))
            expanded = [part for f in fields for part in (expand_braces(f) if braces else [f])]
            if tuple(expanded) not in found:
                found.append(tuple(expanded))
        return found

    def _pieces(self, node: Node) -> list[WordPart]:  # noqa: PLR0911 - one line for each kind
        text = self._text(node)
        if node.type == "word":
            self.misread = self.misread or re.search(r"(?<!\\)\n", text) is not None
            if "`" in text:
                self._hidden(text)
            return [WordPart([unescape_word(text)])]
        if node.type == "raw_string":
            return [WordPart([text[1:-1]])]
        if node.type == "ansi_c_string":
            return [WordPart([unescape_ansi_c(text[2:-1])])]
        if node.type == "string":
            return [WordPart([""]), *self._inside(node, quoted=True)]
        if node.type in _TRANSPARENT:
            return self._inside(node, quoted=False)
        if node.type in {"simple_expansion", "expansion"}:
            return [WordPart(self._expansion(node), splits=True)]
        if node.type == "command_substitution":
            outputs = [text.rstrip("\n") for text in self.visit(node, ())]
            return [WordPart(outputs or ["", UNKNOWN], splits=True)]
        for child in node.named_children:
            self.visit(child, ())
        unknown = node.named_child_count and node.type != "variable_assignment"
        return [WordPart([UNKNOWN if unknown else text])]

    def _inside(self, node: Node, *, quoted: bool) -> list[WordPart]:
        """The pieces of a node's children, with the text between them."""
        pieces: list[WordPart] = []
        at = node.start_byte
        for child in node.children:
            pieces += self._between(at, child.start_byte, quoted=quoted, array=node.type == "array")
            if child.type == "string_content":
                pieces.append(WordPart([unescape_double_quoted(self._text(child))]))
            elif child.type == "heredoc_content":
                pieces.append(WordPart([self._text(child)]))
            elif child.is_named:
                inner = self._pieces(child)
                everything = self._text(child).strip('"${}').endswith(("@", "[@]"))
                pieces += [p.quoted() if quoted and not everything else p for p in inner]
            at = child.end_byte
        return pieces

    def _between(self, start: int, end: int, *, quoted: bool, array: bool) -> list[WordPart]:
        gap = self.source[start:end]
        if array and gap:
            return [WordPart([" "], splits=True)]
        return [WordPart([gap])] if gap and quoted else []

    def _expansion(self, node: Node) -> list[str]:
        """The possible values of a variable, including any words in the braces."""
        names = [c for c in node.children if c.type in {"variable_name", "special_variable_name"}]
        for child in node.children:
            if child.type == "subscript":
                self.visit(child, ())
                indexed = child.child_by_field_name("name")
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
        if any(operator.type in {"=", ":="} for operator in operators):
            for word in words:
                self._remember(name, word)
        changed = len(operators) > 2 and not words  # noqa: PLR2004 - `${` and `}`
        known = self.values.get(name)
        if changed:
            return [UNKNOWN]
        return [*(known or ("",)), *(words or (() if known else (UNKNOWN,)))]

    def _text(self, node: Node) -> str:
        return self.source[node.start_byte : node.end_byte]


def _words_after(redirect: Node) -> list[Node]:
    """The words that the grammar, unlike the shell, includes in a redirection."""
    words = redirect.children_by_field_name("destination")[1:]
    words += redirect.children_by_field_name("argument")
    for inner in redirect.children_by_field_name("redirect"):
        words += _words_after(inner)
    return words


def _joined(pieces: Iterable[WordPart]) -> list[str]:
    return ["".join(texts) for texts in choices([piece.values for piece in pieces])]


def _combinations(words: Sequence[Sequence[Argv]]) -> tuple[Argv, ...]:
    found: dict[Argv, None] = {}
    for choice in choices(words):
        found.setdefault(tuple(itertools.chain.from_iterable(choice)))
    return tuple(found)
