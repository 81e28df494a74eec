"""Files in Markdown, and imports with the files that they lead to.

A line of a block is an import with what it resolves to behind "⇒", or a file: its path and its
text, in which "⏎" ends a line; "path -> folder" is a link, "- path" a file that is gone. Before an
import and "|" are files that only this one is about. It is one of src/app.ts unless `of` tells the
file; `by` tells its kind.
"""

import re

from ipuaro_jupyter.index.resolve.resolver import Resolver

BLOCK = re.compile(r"^```imports\n((?:.*\n)*?)```$", re.MULTILINE)
IMPORT = re.compile(r"(\S+)(?: of (\S+))?(?: by (\S+))?$")


def shown(text):
    """Yield of each import in a case: the line, what it resolves to, and what the line shows."""
    files, links = {}, {}
    for line in "".join(BLOCK.findall(text)).splitlines():
        asked, mark, told = line.partition("⇒")
        if mark:
            *own, asked = asked.strip().split(" | ")
            yield line, resolved(asked, add(own, dict(files), links), links), told.strip()
        else:
            add([line], files, links)


def add(lines, files, links):
    """Add the files and links of some lines; return the files."""
    for line in lines:
        path, _, text = line.partition(" ")
        if path == "-":
            del files[text]
        elif text.startswith("-> "):
            links[path] = text.removeprefix("-> ")
        else:
            files[path] = text.replace("⏎", "\n")
    return files


def resolved(asked, files, links):
    """What an import resolves to: the file, "meant" another one, "with" more of them."""
    source, importer, kind = IMPORT.match(asked).groups()
    resolver = Resolver(files, files.get, symlinks=links)
    found = resolver.resolve(source, importer or "src/app.ts", kind=kind or "import")
    meant = f", meant {found.target}" if found.target not in {None, found.path} else ""
    others = ", ".join(sorted(found.targets - {found.path, found.target}))
    return f"{found.path or 'nothing'}{meant}" + f", with {others}" * bool(others)
