"""Split shell text into the simple commands that it would run.

tree-sitter finds the commands, however deeply nested in lists, pipes, loops and substitutions.
Their words are then read as a shell reads them: quotes and backslashes are removed, braces
expanded, unquoted variables split. A value that is only known at run time appears as `UNKNOWN`, or
as nothing. So a command may have more than one possible argv, and each of them has to be judged.
"""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from ipuaro_jupyter.workspace.commands.shell_reader import Argv, ShellReader, SimpleCommand
from ipuaro_jupyter.workspace.commands.shell_words import ExpansionBudget, rough_commands

__all__ = ["Argv", "Script", "SimpleCommand", "parse"]
_LANGUAGE = Language(tree_sitter_bash.language())
_MOST_CHARACTERS = 2_000_000  # of words that are examined
_TEXT_COSTS = 1000  # characters, for parsing even a short text
_DEEPEST = 16  # texts inside texts, as in nested backquotes


@dataclass(frozen=True, slots=True)
class Script:
    """All commands of a text, from the outside in.

    ``plain`` is the argv of a text that is one command of literal words and nothing else; None when
    there is an operator, a redirection, an expansion or anything else a shell would act on.
    ``more`` then says what that is. ``broken`` says that it could not be parsed completely.
    """

    commands: tuple[SimpleCommand, ...]
    plain: Argv | None
    more: str
    broken: bool


def parse(text: str, positional: Sequence[str] = (), inputs: Sequence[str] = ()) -> Script:
    """Split shell text into commands.

    Args:
        text: The text for a shell.
        positional: The values of ``$0``, ``$1`` and so on.
        inputs: The possible content of the shell's standard input.

    Raises:
        TooComplex: It would take too long.
    """
    return _parse(text, positional, tuple(inputs), 0, ExpansionBudget(_MOST_CHARACTERS))


def _parse(
    text: str,
    positional: Sequence[str],
    inputs: tuple[str, ...],
    depth: int,
    budget: ExpansionBudget,
) -> Script:
    budget.take(_TEXT_COSTS + len(text))
    known: dict[str, list[str]] = {str(i): [value] for i, value in enumerate(positional)}
    if len(positional) > 1:
        known["@"] = known["*"] = [" ".join(positional[1:])]
    source = re.sub(
        r"(?<!\\)\n(?=\\[^\n])", "\n ", text
    )  # otherwise the grammar overlooks the line's end
    root = Parser(_LANGUAGE).parse(_masked(source)).root_node

    def parsed(inner: str) -> tuple[SimpleCommand, ...]:
        return _parse(inner, (), (), depth + 1, budget).commands if depth < _DEEPEST else ()

    reader = ShellReader(source, known, parsed, budget)
    for _ in range(2):  # once to learn the variables, once more to use them
        reader.commands.clear()
        reader.visit(root, inputs)
    broken = root.has_error or reader.misread
    commands = [*reader.commands]
    if broken:
        commands += [SimpleCommand(argvs=(tuple(words),)) for words in rough_commands(text)]
    plain = None if broken else _plain(text, root, reader.commands)
    joined = re.sub(r"(?<!\\)((?:\\\\)*)\\\n", r"\1", text)
    if joined != text and depth < _DEEPEST:  # the grammar splits words at a continued line
        commands += _parse(joined, positional, inputs, depth + 1, budget).commands
    more = "" if plain else _more(root)
    return Script(commands=tuple(commands), plain=plain, more=more, broken=broken)


def _masked(text: str) -> bytes:
    """Bytes of the same length with a percent sign in place of every non-ASCII character.

    tree-sitter-bash crashes the process on some characters (``{`` before U+108956 is one case). A
    shell takes them for parts of words like any other. Byte offsets then equal character offsets.
    """
    return re.sub(r"[^\t\n\x20-\x7e]", "%", text).encode("ascii")


def _plain(text: str, root: Node, commands: Sequence[SimpleCommand]) -> Argv | None:
    """The argv of a single literal command, if `shlex` reads the same words."""
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
    if len(argvs) != 1 or list(argvs[0]) != words:
        return None
    if any(_may_match_options(*pair) for pair in zip(nodes[0].children, words, strict=False)):
        return None
    return argvs[0]


def _may_match_options(node: Node, word: str) -> bool:
    """Whether a word is a pattern that may match files named like options, or ``..``."""
    return re.search(r"^-|(^|/)\.[^/*?\[]*[*?\[]", word) is not None and _is_pattern(node)


def _is_pattern(node: Node) -> bool:
    if node.type == "word":
        return any(sign in (node.text or b"") for sign in (b"*", b"?", b"["))
    return any(_is_pattern(child) for child in node.children)


def _more(root: Node) -> str:
    """The part that keeps a text from being one plain command, in words."""
    nodes = [node for node in root.children if node.type != "comment"]
    if len(nodes) == 1 and nodes[0].type == "redirected_statement":
        return "it redirects its input or output"
    if len(nodes) != 1 or nodes[0].type != "command":
        return "it is more than one plain command"
    if nodes[0].children[0].type == "variable_assignment":
        return "it sets variables of its own"
    return "it holds a variable, a pattern or a substitution"


def _is_active(node: Node) -> bool:
    """Whether a shell would do more with this part of a command than remove its quotes."""
    literal = {"word", "number", "raw_string", "string", "string_content", '"', "command_name"}
    text = node.text or b""
    if node.type not in {*literal, "concatenation"}:
        return True
    if node.type == "word" and text.startswith((b"~", b"*", b"?", b"[")):
        return True  # a file named like an option would become one
    return any(_is_active(child) for child in node.children)


def _has_braces(node: Node) -> bool:
    text = node.text or b""
    return (
        node.type in {"word", "concatenation"} and b"{" in text and (b"," in text or b".." in text)
    )
