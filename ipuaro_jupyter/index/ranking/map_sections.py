"""The sections of a project's map that describe how its files relate.

Each is a list of lines that take at most ``most_chars`` characters, line breaks included; it is
empty when there is nothing to show, or no room.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from ipuaro_jupyter.index.ranking.outline import plain, plain_path
from ipuaro_jupyter.index.ranking.survey import Survey

_MOST_IMPACT = 12
_MOST_CIRCLES = 8
_MOST_IN_CIRCLE = 6
_MOST_FOLDERS = 15
_MOST_MISSES = 20
_MORE_FILES = "More files, by folder"


def heading(text: str) -> str:
    """The heading of a section."""
    return f"### {text}"


def overview(survey: Survey, most_chars: int) -> list[str]:
    """The number of files, in all and by top-level folder."""
    paths = survey.paths
    if not paths:
        return ["The project has no indexed files."][: most_chars // 40]
    counts: Counter[str] = Counter()
    for folder, number in survey.folders.items():
        counts[folder.partition("/")[0]] += number
    loose = counts.pop("", 0)
    named = [f"{plain(name, longest=60)}/ {n}" for name, n in _most(counts)[:_MOST_FOLDERS]]
    named += [f"{loose} outside of folders"] if counts and loose else []
    total = f"{_counted(len(paths), 'indexed file')}, "
    total += f"{_counted(survey.imports.edge_count, 'import')} among them"
    line = total
    for count in range(1, len(named) + 1):
        grown = f"{total}: {', '.join(named[:count])}{', …' if count < len(named) else ''}"
        if len(grown) + 1 > most_chars:
            break
        line = grown
    return [line] if len(line) + 1 <= most_chars else []


def high_impact(survey: Survey, most_chars: int) -> list[str]:
    """The files that most others reach by imports."""
    graph = survey.imports
    told = [
        f"{plain_path(path)} {graph.transitive_dependents[path]} ({graph.impact(path):.0f} %)"
        for path in survey.impact[:_MOST_IMPACT]
    ]
    title = heading("High impact: files that depend on it, directly or not")
    return _fitted(title, told, most_chars)


def cycles(survey: Survey, most_chars: int) -> list[str]:
    """The groups of files that import each other."""
    told = []
    for group in survey.cycles[:_MOST_CIRCLES]:
        named = ", ".join(map(plain_path, group[:_MOST_IN_CIRCLE]))
        more = f" and {len(group) - _MOST_IN_CIRCLE} more" if len(group) > _MOST_IN_CIRCLE else ""
        told.append(f"{named}{more}")
    count = len(survey.cycles)
    title = heading(f"Circular imports: {_counted(count, 'group')}")
    return _fitted(title, told, most_chars)


def imports_among(survey: Survey, shown: Sequence[int], most_chars: int) -> list[str]:
    """The imports among the files shown."""
    paths = {survey.paths[number] for number in shown}
    names = Counter(path.rpartition("/")[2] for path in paths)

    def short(path: str) -> str:
        name = path.rpartition("/")[2]
        return plain_path(name if names[name] == 1 else path)

    told = []
    for number in shown:
        path = survey.paths[number]
        targets = sorted(survey.imports.dependencies[path] & paths)
        if targets:
            told.append(f"{short(path)} → {', '.join(map(short, targets))}")
    return _fitted(heading("Imports among these files"), told, most_chars)


def folders(
    survey: Survey, order: Sequence[int], *, known: Collection[int], most_chars: int
) -> list[str]:
    """Further files by folder, the most relevant ones, with the number of files of each folder.

    Args:
        survey: The project.
        order: The files, the most relevant first.
        known: Those that are shown elsewhere.
        most_chars: The number of characters that the lines may take.
    """
    counts = survey.folders
    title = heading(_MORE_FILES)
    room = most_chars - len(title) - len(_left_out(len(counts), len(survey.paths))) - 2
    hidden = set(known)
    named = _named_within(survey, [number for number in order if number not in hidden], room)
    if not named:
        return []
    lines = [title]
    shown = Counter(survey.paths[number].rpartition("/")[0] for number in hidden)
    for folder in sorted(named):
        missing = counts[folder] - len(named[folder]) - shown[folder]
        more = f", +{missing}" if missing else ""
        lines.append(f"{_folder(folder, counts[folder])}{', '.join(sorted(named[folder]))}{more}")
    away = counts.keys() - named.keys() - shown.keys()
    if away:
        lines.append(_left_out(len(away), sum(counts[folder] for folder in away)))
    return lines


def _named_within(survey: Survey, order: Sequence[int], room: int) -> Mapping[str, list[str]]:
    """The names of the first files that fit into ``room`` characters, by folder."""
    named: defaultdict[str, list[str]] = defaultdict(list)
    misses = 0
    for number in order:
        folder, name = survey.paths[number].rpartition("/")[0], _name(survey.paths[number])
        size = len(name) + 2
        if folder not in named:
            size += _folder_size(folder, survey.folders[folder])
        if size <= room:
            room -= size
            named[folder].append(name)
            continue
        misses += 1
        if misses > _MOST_MISSES:
            break
    return named


def chars_of_all(survey: Survey, most_chars: int) -> int | None:
    """The characters that a listing of all files takes; None when more than ``most_chars``."""
    if 2 * len(survey.paths) > most_chars:
        return None
    counts = survey.folders
    total = len(heading(_MORE_FILES)) + len(_left_out(len(counts), len(survey.paths))) + 2
    total += sum(_folder_size(folder, count) for folder, count in counts.items())
    total += sum(len(_name(path)) + 2 for path in survey.paths)
    return total if total <= most_chars else None


def _name(path: str) -> str:
    return plain(path.rpartition("/")[2], longest=80)


def _folder_size(folder: str, count: int) -> int:
    """The characters that the line of a folder takes without its files."""
    return len(_folder(folder, count)) + len(f", +{count}") + 1


def _left_out(folders: int, files: int) -> str:
    more = f"{_counted(folders, 'more folder')}, {_counted(files, 'file')}"
    return f"… and {more}: see get_structure"


def _folder(folder: str, count: int) -> str:
    return f"{plain_path(folder) if folder else '.'}/ ({count}): "


def _fitted(title: str, told: Iterable[str], most_chars: int) -> list[str]:
    """A title and as many lines below it as fit."""
    lines = [title]
    room = most_chars - len(title) - 1
    for line in told:
        if len(line) + 1 > room:
            continue
        lines.append(line)
        room -= len(line) + 1
    return lines if len(lines) > 1 else []


def _most(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
