"""Spellings of commands that never run, composed at random from ways to hide a program."""

import base64
import shlex
import tomllib
from pathlib import Path
from random import Random

DENIED = [
    *(["rm", "-r", "d"], ["rm", "-rf", "d"], ["rm", "d", "--recursive"], ["/bin/rm", "-fr", "d"]),
    *(["git", "clean", "-fd"], ["git", "clean", "-dxf"], ["git", "reset", "--hard"]),
    *(["chmod", "700", "d"], ["find", "d", "-delete"], ["git", "reset", "-q", "--hard", "HEAD"]),
]
"""Each changes what `touched` of the container looks at."""


def _hex(word: str) -> str:
    return "$'" + "".join(f"\\x{ord(letter):02x}" for letter in word) + "'"


WORDS = [
    shlex.quote,
    lambda word: '"' + word + '"',
    lambda word: "".join("\\" + letter for letter in word),
    lambda word: word[:1] + "''" + word[1:],
    lambda word: word[:1] + '""' + word[1:],
    lambda word: word[:1] + "\\\n" + word[1:],
    _hex,
    lambda word: _hex(word[:1]) + word[1:],
    lambda word: f"$(echo {word})",
    lambda word: f"`echo {word}`",
    lambda word: f'"$(printf %s {word})"',
    lambda word: f"$(rev <<< {word[::-1]})",
    lambda word: "${nothing:-" + word + "}",
    lambda word: word[:1] + "${nothing}" + word[1:],
    lambda word: word[:1] + "$nothing" + word[1:],
    lambda word: word[:1] + "$@" + word[1:],
    lambda word: "{" + word + ",}" if word[0] not in "-/" else word,
    lambda word: f"$(base64 -d <<< {base64.b64encode(word.encode()).decode()})",
    lambda word: f"$(printf '%b' '{''.join(f'{chr(92)}{ord(letter):03o}' for letter in word)}')",
]
SPLIT = [" ", "  ", "\t", " \\\n", "${IFS}", "$IFS"]
_WAYS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
WRAPPERS, TEXTS, ARGVS = (
    _WAYS[key].replace("\u21e5", "\t").splitlines() for key in ("wrappers", "texts", "argvs")
)
HARMLESS = [
    ["ls", "d"],
    ["cat", "one"],
    ["git", "status"],
    ["wc", "-l", "one"],
    ["npm", "run", "x"],
]


def spelling(random: Random) -> str:
    """One of very many spellings of a command; not all work, and few are of a harmless one."""
    argv = random.choice(DENIED if random.random() < 0.9 else HARMLESS)
    words = [random.choice(WORDS)(w) if random.random() < 0.3 else shlex.quote(w) for w in argv]
    wrapped = [random.choice(WRAPPERS) for _ in range(random.choice((0, 0, 0, 1, 1, 2)))]
    words = [" ".join([*wrapped, words[0]]), *words[1:]]
    text = random.choice(SPLIT if random.random() < 0.1 else SPLIT[:1]).join(words)
    if random.random() < 0.6:
        way = random.choice(ARGVS).replace("\u23ce", "\n")
        text = way.replace("\u25c7", " ".join(words[1:])).replace("\u25c6", words[0])
    for _ in range(random.choice((0, 1, 1, 2))):
        text = random.choice(TEXTS).replace("\u23ce", "\n").replace("\u25c6", shlex.quote(text))
    return text
