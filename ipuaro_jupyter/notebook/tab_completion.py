"""Tab completion for ``%ipuaro``, ``%tool`` and ``%%ask``."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import Any

from IPython.core.completer import (
    CompletionContext,
    SimpleCompletion,
    SimpleMatcherResult,
    context_matcher,
)

from ipuaro_jupyter.cell_text import literal, literal_text
from ipuaro_jupyter.errors import IpuaroError
from ipuaro_jupyter.llm.local import pulled_names
from ipuaro_jupyter.notebook.commands import command_names, find_command
from ipuaro_jupyter.notebook.commands.command import Completed
from ipuaro_jupyter.notebook.open_project import OpenProject

_MOST = 200
_MODELS_S = 0.5  # an acceptable delay for Tab
_LINE = re.compile(r"\s*(?:[\w.,\s\[\]'\"]+=\s*)?%(?P<magic>ipuaro|tool)\s+(?P<rest>.*)", re.DOTALL)
_ASK_LINE = re.compile(r"\s*(?:[\w.,\s]+=\s*)?%ask\s+(?P<rest>.*)", re.DOTALL)
_ASK_CELL = re.compile(r"\s*%%ask\b")
_SLASH = re.compile(r"/[\w-]*")
_WORD = re.compile(r"[\w./$@-]*\Z")
_MENTION = re.compile(r'(?<![\w.@/-])@(?:"(?P<quoted>[^"\n]*)|(?P<name>[\w./$:~\[\]()#-]*))\Z')
_NAMED_BY = {
    **dict.fromkeys(("path", "filepath", "directory", "cwd", "file", "files"), "file"),
    **dict.fromkeys(("symbol", "name"), "symbol"),
}
Offers = dict[str, str]
"""The possible completions, each with its kind: the word that JupyterLab shows beside it."""


class Completion:
    """Completes for one kernel; quick, and without side effects.

    Args:
        project: Holds the project whose files, symbols, tools and sessions are offered.
    """

    def __init__(self, project: OpenProject) -> None:
        self._project = project
        self._offers: dict[Completed, Callable[[str], Offers]] = {
            "command": lambda _: _all("command", command_names()),
            "file": self._files,
            "folder": lambda typed: _all("folder", _on_disk(typed, suffix=None)),
            "model": lambda _: self._models(),
            "notebook": lambda typed: _all("notebook", _on_disk(typed, suffix=".ipynb")),
            "session": lambda _: self._sessions(),
            "symbol": self._symbols,
            "tool": lambda _: self._tools(),
        }

    @context_matcher(identifier="ipuaro", priority=200)  # type: ignore[untyped-decorator]
    def match(self, context: CompletionContext) -> SimpleMatcherResult:
        """The completions at the cursor, in place of Python's names; none elsewhere."""
        with suppress(IpuaroError):  # the cell itself reports a lost store when it runs
            typed, offers = self._at(context)
            if typed is None:
                return {"completions": [], "suppress": False}
            is_filled = _is_filled(context.text_until_cursor)
            begun = (literal_text(typed) if is_filled else typed).replace('@"', "@")
            offered = sorted(o for o in offers if o.replace('@"', "@").startswith(begun))[:_MOST]
            found = [
                SimpleCompletion(
                    text=literal(_quoted(o)) if is_filled else _quoted(o), type=offers[o]
                )
                for o in offered
                if is_filled or o.isprintable()  # a line break would end the magic
            ]
            return {"completions": found, "matched_fragment": typed, "suppress": True}
        return {"completions": [], "suppress": True}

    def _at(self, context: CompletionContext) -> tuple[str | None, Offers]:
        """The word before the cursor and its completions; None when the line is not ours."""
        before = context.text_until_cursor
        lines = context.full_text.split("\n")[: context.cursor_line]
        first = next((line for line in lines if line.strip()), "")
        asked = _ASK_LINE.match(before)
        if asked or _ASK_CELL.match(first):
            is_begun = not any(line.strip() for line in lines if line != first)
            typed, offers = self._message(before, asked["rest"] if asked else before * is_begun)
            return typed, {o: kind for o, kind in offers.items() if "`" not in o}  # it may be code
        found = _LINE.fullmatch(before)
        if found is None:
            return None, {}
        words, typed = _words(found["rest"])
        if found["magic"] == "tool":
            return self._tool(words, typed)
        if not words:
            return typed, self._offers["command"](typed)
        plain = literal_text(typed)
        try:
            choices, named = find_command(words[0]).completes(words[1:])
        except IpuaroError:
            return typed, {}
        return typed, _all("option", choices) | (self._offers[named](plain) if named else {})

    def _message(self, before: str, begun: str) -> tuple[str | None, Offers]:
        """The completions of the last word of a message; Python's own inside ``$`…` ``.

        ``begun`` is the message so far, if it is one line.
        """
        if _SLASH.fullmatch(begun) and self._project.is_open:
            return begun, _all("command", (f"/{n}" for n in self._project.assistant.typed_names))
        mention = _MENTION.search(before)
        if mention is not None and before[: mention.start()].count("`") % 2 == 0:
            return mention[0], self._mentions(mention["quoted"], mention["name"] or "")
        word = _WORD.search(before)
        typed = word[0] if word else ""
        _, is_value, value = before.rpartition("$`")
        if not typed or (is_value and "`" not in value):
            return None, {}
        return typed, self._files(typed) | self._symbols(typed)

    def _mentions(self, quoted: str | None, name: str) -> Offers:
        """What a question can mention, as it is typed."""
        if quoted is not None:
            return {f'@"{path}"': kind for path, kind in self._files(quoted).items()}
        found = self._files(name) | (self._symbols(name) if name else {})
        offers = {f'@"{one}"' if " " in one else f"@{one}": kind for one, kind in found.items()}
        if not self._project.is_open:
            return offers
        known = self._project.assistant.mentions
        return offers | {f"@{one}": "mention" for one in known if one.startswith(name)}

    def _tool(self, words: list[str], typed: str) -> tuple[str, Offers]:
        """The completions in a call of a tool."""
        if not words:
            return typed, self._tools()
        try:
            tool = self._project.find_tool(words[0])
        except IpuaroError:
            return typed, {}
        parameters = tool.schema.parameters["properties"]
        given, is_named, value = typed.partition("=")
        if is_named:
            return value, self._values(given, parameters.get(given, {}), value)
        names = (f"{name}=" for name in parameters if not _holds(words, f"{name}="))
        offers = _all("parameter", names)
        place = len(words) - 1
        if place < len(parameters) and not any("=" in word for word in words[1:]):
            name, entry = list(parameters.items())[place]
            offers |= self._values(name, entry, typed)
        return typed, offers

    def _values(self, name: str, entry: dict[str, Any], typed: str) -> Offers:
        if "enum" in entry:
            return _all("value", map(str, entry["enum"]))
        if entry.get("type") == "boolean":
            return _all("value", ("true", "false"))
        named = _NAMED_BY.get(name)
        if named == "file":
            return self._files(typed)
        return self._symbols(typed) if named == "symbol" else {}

    def _files(self, typed: str) -> Offers:
        """The project's files and folders, down to the next folder."""
        if not self._project.is_open:
            return {}
        known = self._project.assistant.known_paths(typed, limit=20 * _MOST)
        start = typed.rfind("/") + 1
        return _all("path", (_to_next_folder(path, start) for path in known))

    def _symbols(self, typed: str) -> Offers:
        if not self._project.is_open:
            return {}
        return _all("symbol", self._project.assistant.known_symbols(typed, limit=_MOST))

    def _sessions(self) -> Offers:
        if not self._project.is_open:
            return {}
        return _all("session", (info.id for info in self._project.assistant.sessions()))

    def _models(self) -> Offers:
        if not self._project.is_open:
            return {}
        assistant = self._project.assistant
        names = assistant.model.models(within_s=_MODELS_S)
        pulled = pulled_names(assistant.settings.llm.models_folder)
        return _all("model", dict.fromkeys([*names, *pulled]))

    def _tools(self) -> Offers:
        from ipuaro_jupyter.tools import load_tools  # noqa: PLC0415 - loads every room

        if self._project.is_open:
            return _all("tool", self._project.assistant.tool_names)
        return _all("tool", (tool.name for tool in load_tools()))


def _all(kind: str, offers: Iterable[str]) -> Offers:
    return dict.fromkeys(offers, kind)


def _holds(words: list[str], start: str) -> bool:
    return any(word.startswith(start) for word in words)


def _words(text: str) -> tuple[list[str], str]:
    """The complete words of a line and the one at its end, without quotes."""
    words = re.findall(r'"[^"]*"?|\'[^\']*\'?|[^\s"\']+|\s+', text)
    if not words or words[-1].isspace():
        return [word.strip("\"'") for word in words if not word.isspace()], ""
    return [word.strip("\"'") for word in words[:-1] if not word.isspace()], words[-1]


def _to_next_folder(path: str, start: int) -> str:
    end = path.find("/", start)
    return path if end < 0 else path[: end + 1]


def _is_filled(before: str) -> bool:
    """Whether values are put into the line at the cursor, which is that of ``%ipuaro``."""
    found = _LINE.fullmatch(before)
    return found is not None and found["magic"] == "ipuaro"


def _quoted(text: str) -> str:
    if text.startswith("@"):  # a mention has its quotes
        return text
    if re.search(r"""["'\\]""", text):
        return quote(text)
    return f'"{text}"' if re.search(r"\s", text) else text


def _on_disk(typed: str, *, suffix: str | None) -> Iterator[str]:
    """Yield folders on the disk with this prefix, and files with the suffix."""
    folder, _, _ = typed.rpartition("/")
    shown = typed[: len(folder) + 1] if "/" in typed else ""
    try:
        entries = sorted((Path(shown or ".").expanduser()).iterdir())
    except OSError:
        return
    for entry in entries[: 20 * _MOST]:
        with suppress(OSError):
            if entry.is_dir():
                yield f"{shown}{entry.name}/"
            elif suffix is not None and entry.suffix == suffix:
                yield f"{shown}{entry.name}"
