"""What is on the map of a project: how large it is, how long it takes, what it helps to find.

    python tests/benchmarks/project_map.py [TOKENS] [--show]

Five projects, or the part of them that their repositories have, and the questions of
``questions.toml``. Two tables: the size of the map and the time for a warm one (the index is
known, the question is new) by processor and by clock, beside the shortest listing of all files;
and for how many questions a file that matters is on the map, beside two listings of the files by
name that are cut off at the same size: one path on a line, and names by folder. A question is
plain when it has none of the names that a file that matters declares, and not the file's own;
"first five" counts those where a file that matters is among the first five, "unasked" those where
it is on the map that is made without the question. TOKENS (2600) is the budget; half and a
quarter of it are tried too. ``--show`` prints the questions that fail.
"""

import argparse
import os
import shutil
import statistics
import sys
import time
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path

from corpora import cache, corpus
from scratch_home import scratch_home
from speed import mixed

from ipuaro_jupyter.agent.context.tokens import count_tokens
from ipuaro_jupyter.index.code_index import CodeIndex
from ipuaro_jupyter.index.extract.facts_format import unpack_facts
from ipuaro_jupyter.index.extract.symbols import symbols_of
from ipuaro_jupyter.index.project_map import project_map
from ipuaro_jupyter.records.change import Decision
from ipuaro_jupyter.settings.settings import Settings
from ipuaro_jupyter.store.connection import Store, connect
from ipuaro_jupyter.store.keys import Keys, project_id
from ipuaro_jupyter.workspace.changes.undo_stack import ShownFiles, UndoStack
from ipuaro_jupyter.workspace.workspace import Workspace, WorkspaceSettings

PARTS = {"rxjs": "src", "effect": "src", "three": ".", "zod": "src", "theia-core": "src"}
"""The projects, with the part of each package that its repository has too."""


def opened(root: Path, store: Store) -> CodeIndex:
    """Return the index of a folder, made and watched as an assistant has it."""
    keys = Keys(project_id(root))
    workspace = Workspace(
        root,
        WorkspaceSettings(approve="never"),
        confirm=lambda _: Decision(action="reject"),
        undo=UndoStack(store, keys, "session", depth=1),
        shown=ShownFiles(store, keys, "session"),
        changed=lambda _: None,
    )
    settings = Settings()
    index = CodeIndex(workspace, store, settings.project)
    index.refresh()
    index.watch(settings.watchdog)
    return index


def many(folder: Path, times: int) -> Path:
    """Return a folder with so many copies of another."""
    target = cache() / f"{times}-times-{folder.parent.name}"
    for copy in range(times):
        if not (target / str(copy)).is_dir():
            shutil.copytree(folder, target / str(copy), copy_function=os.link)
    return target


def listed(paths: Sequence[str]) -> str:
    """Return the files by name, one on a line."""
    return "\n".join(paths)


def by_folder(paths: Sequence[str]) -> str:
    """Return the files by folder, the shortest way to list them all."""
    folders: dict[str, list[str]] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        folders.setdefault(folder, []).append(name)
    return "\n".join(f"{folder}/: {', '.join(names)}" for folder, names in sorted(folders.items()))


def cut(text: str, tokens: int) -> str:
    """Return as much of the beginning of a text as fits."""
    length = len(text)
    while count_tokens(text[:length]) > tokens:
        length = int(length * 0.99)
    return text[:length]


def is_on(text: str, path: str) -> bool:
    """Return whether a text shows a file: its path, or its name in the line of its folder."""
    folder, _, name = path.rpartition("/")
    for line in text.splitlines():
        if line == path or line.startswith(f"{path} "):
            return True
        head, colon, names = line.partition(": ")
        is_folder = head.partition(" (")[0].rstrip(":") in {f"{folder or '.'}/", f"{folder}/"}
        if colon and is_folder and name in names.split(", "):
            return True
    return False


def is_plain(index: CodeIndex, text: str, files: Iterable[str]) -> bool:
    """Return whether a question has neither the name of a file nor of what it declares."""
    words = {word.strip(".,:;?!'\"`()[]") for word in text.replace("(", " ").split()}
    words |= {part for word in words for part in word.split(".")}
    for path, blob in index.blobs(list(files)).items():
        names = {name for name, *_ in symbols_of(unpack_facts(blob))}
        if words & {*names, path.rpartition("/")[2].partition(".")[0]}:
            return False
    return True


def main(arguments: Sequence[str]) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("tokens", nargs="?", type=int, default=2600)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args(arguments)
    written = Path(__file__).with_name("questions.toml").read_text("utf-8")
    questions = tomllib.loads(written)["question"]
    store = connect(Settings().redis)
    indexes = {name: opened(corpus(name) / part, store) for name, part in PARTS.items()}
    try:
        sizes(indexes, questions, options.tokens)
        larger = {"eight of them": mixed(), "40 times rxjs": many(corpus("rxjs") / "src", 40)}
        for name, root in larger.items():
            indexes[name] = opened(root, store)
            sizes({name: indexes[name]}, questions, options.tokens)
        for share in (1, 2, 4):
            found(
                {name: indexes[name] for name in PARTS},
                questions,
                options.tokens // share,
                show=options.show,
            )
    finally:
        for index in indexes.values():
            index.close()
        store.close()
    return 0


def sizes(indexes: dict[str, CodeIndex], questions: list[dict[str, object]], tokens: int) -> None:
    """Print how large maps are and how long they take."""
    print(f"\n{'project':14}{'files':>7}{'budget':>8}{'tokens':>8}", end="")
    print(f"{'cpu ms':>8}{'warm ms':>9}", end="")
    print(f"{'slowest':>9}{'first ms':>10}{'listing':>9}  map/listing")
    for name, index in indexes.items():
        began = time.perf_counter()
        project_map(index, tokens, size=count_tokens)
        first = time.perf_counter() - began
        texts, times, worked = [], [], []
        for question in questions:
            asked = [str(question["text"])]
            began, began_work = time.perf_counter(), time.process_time()
            texts.append(project_map(index, tokens, size=count_tokens, mentioned=asked))
            times.append(1000 * (time.perf_counter() - began))
            worked.append(1000 * (time.process_time() - began_work))
        longest = max(map(count_tokens, texts))
        assert longest <= tokens, f"{name}: over budget"
        paths = index.paths()
        listing = count_tokens(by_folder(paths))
        print(f"{name:14}{len(paths):7}{tokens:8}{longest:8.0f}", end="")
        print(f"{statistics.median(worked):8.1f}{statistics.median(times):9.1f}", end="")
        print(f"{max(times):9.1f}{1000 * first:10.0f}", end="")
        print(f"{listing:9.0f}  {longest / listing:.2f}")


def found(
    indexes: dict[str, CodeIndex], questions: list[dict[str, object]], tokens: int, *, show: bool
) -> None:
    """Print for how many questions a file that matters is shown."""
    print(f"\n{tokens} tokens; questions for which a file that matters is shown")
    print(f"{'project':14}{'questions':>10}{'map':>6}{'paths':>7}{'folders':>9}", end="")
    print(f"{'plain':>8}{'map':>6}{'paths':>7}{'folders':>9}{'first five':>12}{'unasked':>9}")
    total = [0] * 10
    for name, index in indexes.items():
        paths = index.paths()
        unasked = project_map(index, tokens, size=count_tokens)
        listings = cut(listed(paths), tokens), cut(by_folder(paths), tokens)
        row = [0] * 10
        for question in questions:
            if question["corpus"] != name:
                continue
            text, files = str(question["text"]), list(question["files"])  # type: ignore[call-overload]
            page = project_map(index, tokens, size=count_tokens, mentioned=[text])
            hits = [any(is_on(one, path) for path in files) for one in (page, *listings)]
            plain = is_plain(index, text, files)
            counted = (1, *hits, plain, *(plain and hit for hit in hits), is_first(page, files))
            counted += (any(is_on(unasked, path) for path in files),)
            row = [a + b for a, b in zip(row, counted, strict=True)]
            if show and not hits[0]:
                print(f"    not on the map: {text!r} {files}")
        total = [a + b for a, b in zip(total, row, strict=True)]
        line(name, row)
    line("all", total)


def is_first(page: str, files: Iterable[str]) -> bool:
    """Return whether a file is among the first five of those with declarations."""
    _, _, part = page.partition("### The most relevant files")
    heads = [one for one in part.splitlines()[1:] if one and not one.startswith((" ", "###"))]
    return any(is_on("\n".join(heads[:5]), path) for path in files)


def line(name: str, row: Sequence[int]) -> None:
    """Print a row."""
    asked, page, paths, folder, plain, *rest, first, unasked = row
    print(f"{name:14}{asked:10}{page:6}{paths:7}{folder:9}", end="")
    print(f"{plain:8}{rest[0]:6}{rest[1]:7}{rest[2]:9}{first:12}{unasked:9}")


if __name__ == "__main__":
    with scratch_home():
        status = main(sys.argv[1:])
    sys.exit(status)
