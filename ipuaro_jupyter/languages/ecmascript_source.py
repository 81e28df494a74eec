"""The code of a file of TypeScript or JavaScript, or of a component, as its names are judged."""

import re
from dataclasses import dataclass
from functools import cached_property

from tree_sitter import Node

from ipuaro_jupyter.languages.components.component_code import ComponentCode, template_of
from ipuaro_jupyter.languages.language import Language
from ipuaro_jupyter.languages.masking import mask
from ipuaro_jupyter.languages.registry import language_for
from ipuaro_jupyter.languages.syntax import parse_fitting

_OF_MODULES = (".mjs", ".cjs", ".mts", ".cts")
_MASKED = ord("_")  # a byte of a string
_PROPS = re.compile(rb"\bdefine(?:Props|Model)\b[^)]*")


@dataclass(frozen=True)
class EcmascriptSource:
    """The code of a file.

    Attributes:
        language: Its language.
        text: The code, at the lines of the file.
        is_module: Whether the file's kind says that nothing else sees its names.
        bound: The names that a template binds.
        setup: A component of Vue, whose template knows more than the names of the script; None when
            it is none.
        has_stores: Whether ``$name`` reads the store ``name``.
    """

    language: Language
    text: bytes
    is_module: bool = False
    bound: frozenset[str] = frozenset()
    setup: ComponentCode | None = None
    has_stores: bool = False

    @cached_property
    def masked(self) -> bytes:
        """The code without comments and strings."""
        return mask(self.text, self.language.comments).text

    @cached_property
    def _script(self) -> bytes:
        """The script of a component of Vue without comments; strings name props."""
        if self.setup is None:
            return b""
        script = self.setup.script
        masked = mask(script, self.language.comments).text
        return bytes(
            was if now == _MASKED else now for was, now in zip(script, masked, strict=True)
        )

    @cached_property
    def props(self) -> list[bytes]:
        """What the script of a component of Vue says of its props."""
        return _PROPS.findall(self._script)

    def may_be_given(self, node: Node, old: "EcmascriptSource") -> bool:
        """Whether a name in a template may be there without the script.

        It may be the tag of a component that is registered for the whole application, or a prop
        that the script has only since the change.
        """
        if self.setup is None or not self.setup.is_template(node.start_byte):
            return False
        statement = node.parent
        outer = statement.parent if statement is not None else None
        if outer is not None and outer.type == "program":
            return True
        if not self.props or old.setup is None:
            return False
        name = re.escape(node.text or b"")
        is_named = re.search(rb"(?<![\w$])%b(?![\w$])" % name, self._script)
        return is_named is not None or self.props != old.props


def source_of(path: str, data: bytes) -> EcmascriptSource | None:
    """The code of a file; None when it has none."""
    code = template_of(path, data)
    if code is None:
        language = language_for(path)
        if language is None:
            return None
        return EcmascriptSource(language, data, is_module=path.endswith(_OF_MODULES))
    is_whole = (
        not code.is_apart and not parse_fitting(code.language, code.whole)[1].root_node.has_error
    )
    return EcmascriptSource(
        code.language,
        code.whole if is_whole else code.script,
        is_module=True,
        bound=frozenset(one.name for one in code.names),
        setup=code if path.endswith(".vue") else None,
        has_stores=path.endswith(".svelte"),
    )
