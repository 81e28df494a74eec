"""Which parameter of a tool a model means by a name that the tool does not have."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache

_SEPARATORS = re.compile(r"[\s_.-]+")

_GROUPS = (
    """path file filename filepath directory dir folder pathname dirname dirpath folderpath
    folderName directoryPath directoryName relativePath relativeFilePath absolutePath fullPath
    targetFile targetPath targetDirectory targetFolder filePathname uri relativeWorkspacePath
    inputPath projectPath rootPath""",
    "cwd directory dir folder path workdir workingDir workingDirectory currentDirectory",
    "files file paths path filepaths filenames pathspec fileList",
    """pattern query regex regexp search text keyword keywords term expression searchTerm
    searchText searchString searchQuery searchPattern regexPattern string substring needle q
    globPattern filePattern filenamePattern glob""",
    """symbol name symbolName identifier ident function functionName class className method
    methodName variable variableName typeName component entity query search keyword term word""",
    """content contents text code newContent newContents fileContent fileContents fileText body
    newText newCode newLines newString newStr replacement replaceWith source data""",
    "target oldString oldStr oldText oldCode oldContent old search find searchText original",
    """patch newString newStr newText newCode newContent new replace replacement replaceWith
    replaceText updated""",
    "command cmd commandLine shellCommand bashCommand cmdline",
    """start line from begin first startLine lineStart lineFrom fromLine beginLine firstLine
    startLineNumber lineNumber lineno startLineOneIndexed""",
    """end to stop last endLine lineEnd lineTo toLine stopLine lastLine endLineNumber
    endLineOneIndexed endLineOneIndexedInclusive""",
    """limit max maxResults maxEntries maxCount maxMatches maxItems resultLimit numResults
    headLimit count top topK n""",
    "depth maxDepth level levels maxLevel maxLevels",
    "contextLines context contextLine around linesAround surroundingLines numContextLines c",
    "caseSensitive matchCase isCaseSensitive",
    "useRegex isRegex regex regexp isRegexp regularExpression useRegexp",
    """includeFiles include includes includePattern includeGlob includeFile filePattern fileGlob
    fileTypes glob globPattern files""",
    "excludeFiles exclude excludes excludePattern excludeGlob ignore ignorePatterns",
    "excludeDirs exclude excludes excludeDirectories excludeFolders ignore ignoreDirs",
    "includeHidden showHidden hidden all showAll dotfiles",
    "recursive isRecursive recurse",
    "sortBy sort order orderBy sortOrder",
    "message msg commitMessage",
    "filter testName testFilter testPattern testNamePattern name pattern",
    "type kind tag marker todoType",
    "id jobId job",
    "staged cached stagedOnly isStaged",
    "env environment envVars environmentVariables variables",
    "cell cellNumber cellIndex",
    """changes edits fileChanges fileEdits modifications operations hunks replacements updates
    changeSet proposedChanges files""",
    "delete isDelete deleted remove deleteFile",
)
_READING = ("start offset startOffset",)
"""Names that count for tools that change nothing: they may mean something else, too."""


def same_name(name: str) -> str:
    """A form that the spellings of a name have in common: ``startLine``, ``start_line``."""
    return _SEPARATORS.sub("", name).lower()


def likely_parameters(
    name: str, parameters: Collection[str], *, changes: bool = False
) -> tuple[str, ...]:
    """The parameters that a name may stand for which is none of them; () for none.

    Args:
        name: As the model wrote it.
        parameters: The names that the tool has.
        changes: Whether the tool changes something: then doubtful names stand for nothing.
    """
    spelled = same_name(name)
    alike = tuple(each for each in parameters if same_name(each) == spelled)
    if alike:
        return alike
    others = _others(changes=changes).get(spelled, frozenset())
    return tuple(each for each in parameters if same_name(each) in others)


def meant_parameters(
    names: Collection[str],
    parameters: Collection[str],
    *,
    changes: bool = False,
    fits: Callable[[str, str], bool] = lambda _name, _parameter: True,
) -> dict[str, str]:
    """The parameter that each name stands for, where there is only one that it can.

    What a call gives by its own name stands for itself, so that the others are for the rest. Two
    names may stand for the same parameter.

    Args:
        names: All names of a call.
        parameters: The names that the tool has.
        changes: As for `likely_parameters`.
        fits: Whether the value of a name may be the value of a parameter.
    """
    meant = {name: name for name in names if name in parameters}
    likely = {
        name: [each for each in found if fits(name, each)]
        for name in names
        if name not in meant and (found := likely_parameters(name, parameters, changes=changes))
    }
    while clear := _only_choices(likely, set(meant.values())):
        meant |= clear
        likely = {name: found for name, found in likely.items() if name not in clear}
    return meant | {name: found[0] for name, found in likely.items() if len(found) == 1}


def _only_choices(likely: Mapping[str, list[str]], taken: set[str]) -> dict[str, str]:
    """The names for which one parameter is left that is not taken."""
    left = {name: [p for p in found if p not in taken] for name, found in likely.items()}
    return {name: found[0] for name, found in left.items() if len(found) == 1}


@cache
def _others(*, changes: bool) -> Mapping[str, frozenset[str]]:
    """For each name the other names of what it stands for, in the common form."""
    groups = _GROUPS if changes else (*_GROUPS, *_READING)
    others: dict[str, set[str]] = {}
    for group in map(frozenset, map(_spelled, groups)):
        for name in group:
            others.setdefault(name, set()).update(group)
    return {name: frozenset(group - {name}) for name, group in others.items()}


def _spelled(group: str) -> Iterator[str]:
    return map(same_name, group.split())
