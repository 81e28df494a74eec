"""The message that a client's prompt is: text, and links to files as mentions.

Of a file whose text comes with the link, the text is left out: the mention attaches the file as it
is on the disk, within its room and without secrets.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from acp import schema as protocol

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.views.markup import visible
from ipuaro_jupyter.workspace.files.folders import inner_path

Block = (
    protocol.TextContentBlock
    | protocol.ImageContentBlock
    | protocol.AudioContentBlock
    | protocol.ResourceContentBlock
    | protocol.EmbeddedResourceContentBlock
)
_LINES = re.compile(r"L?(\d+)(?:[:-]L?(\d+))?")


def message_of(prompt: Sequence[Block], root: Path) -> str:
    """The message; a file of the project at ``root`` becomes a mention, which attaches it.

    Raises:
        SettingsError: The prompt holds no text, or what no model is shown: images and sound.
    """
    told = ""
    for block in prompt:
        part = _part(block, root)
        if isinstance(block, protocol.TextContentBlock) or not told:
            told += part
        else:
            told += part if told[-1:].isspace() else f" {part}"
    if not told.strip():
        raise SettingsError("There is nothing to ask: the prompt holds no text.")
    return told.lstrip("\n")


def _part(block: Block, root: Path) -> str:
    match block:
        case protocol.TextContentBlock():
            return block.text
        case protocol.ResourceContentBlock():
            return _mention(block.uri, root)
        case protocol.EmbeddedResourceContentBlock():
            mention = _mention(block.resource.uri, root)
            if mention.startswith("@"):
                return mention
            told = f"{visible(block.resource.uri)} is no file of the project: paste what counts."
            raise SettingsError(told)
    raise SettingsError("Images and sound cannot be sent: the models are given text only.")


def _mention(uri: str, root: Path) -> str:
    """The mention of a file in the project; of anything else, its address."""
    parts = urlsplit(uri)
    if parts.scheme != "file":
        return uri
    path = inner_path(root, os.path.normpath(unquote(parts.path)))
    if path is None or set('"\n') & set(path):
        return uri
    lines = _LINES.fullmatch(parts.fragment)
    at = ":" + "-".join(one for one in lines.groups() if one) if lines else ""
    return f'@"{path or "."}"{at} '
