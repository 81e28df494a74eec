"""The definition of a tool: one documented function.

Its name, description and JSON schema come from the function's name, signature and docstring (Google
style), so that nothing is stated twice.
"""

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import ToolError
from ipuaro_jupyter.index.code_index import CodeIndex
from ipuaro_jupyter.records.chat import ToolSchema
from ipuaro_jupyter.records.outputs import Output
from ipuaro_jupyter.text_distance import closest
from ipuaro_jupyter.tools.notebook_kernel import KernelAccess
from ipuaro_jupyter.tools.open_notebooks import OpenNotebooks
from ipuaro_jupyter.tools.path_parameters import located
from ipuaro_jupyter.workspace.git.repositories import Repositories
from ipuaro_jupyter.workspace.workspace import Workspace

TIMEOUT_S = 60.0
_LIMITS = frozenset({"default", "minimum", "maximum", "minLength", "maxLength"})


@dataclass(frozen=True)
class Project:
    """The context of a tool: the only way to the disk, the index, and the stop button.

    ``timeout_s`` limits a call; the time in which the user decides does not count. ``kernel`` leads
    to the kernel of the notebook that the user asks from, ``notebooks`` to those that are open
    beside it; None elsewhere.
    """

    workspace: Workspace
    index: CodeIndex
    cancel: CancelToken = field(default_factory=CancelToken)
    timeout_s: float = TIMEOUT_S
    kernel: KernelAccess | None = None
    notebooks: OpenNotebooks | None = None

    @property
    def repositories(self) -> Repositories:
        """The git repositories of the project."""

        def files() -> Iterable[str]:
            return (self.index.listing() or self.workspace.files()).files

        commit_s = self.workspace.settings.commit_s
        return Repositories(self.workspace.root, files, cancel=self.cancel, commit_s=commit_s)


ToolFunction = Callable[..., Output]
Named = Literal["file", "folder", "place", "symbol"]
"""What a parameter names; a place is a file or a folder."""


@dataclass(frozen=True)
class Tool:
    """A tool that the model may call.

    ``asks_first`` marks tools that change something: they run one at a time, after a question.
    ``judged`` marks those of them whose calls a policy judges one by one, so that some run without.
    ``in_order`` marks others that do not run in parallel with their neighbours either.
    ``times_itself`` marks those with time limits of their own, such as commands. ``aliases`` are
    other names under which models call a read-only tool; ``foreign`` are names that models give to
    a changing tool: such a call is never run, and its result is the signature. ``rare`` are
    optional parameters that ``brief`` leaves out. ``names`` are the parameters whose values exist
    in the project already, each with what it names; of those in ``gone``, a file may be deleted.
    """

    name: str
    function: ToolFunction
    schema: ToolSchema
    arguments: type[BaseModel]
    asks_first: bool = False
    judged: bool = False
    in_order: bool = False
    times_itself: bool = False
    aliases: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    rare: tuple[str, ...] = ()
    names: Mapping[str, Named] = field(default_factory=dict)
    gone: tuple[str, ...] = ()
    in_notebook: bool = False

    @cached_property
    def brief(self) -> ToolSchema:
        """The schema without rare parameters, defaults and limits, which calls may still give."""
        properties = {
            name: {key: value for key, value in entry.items() if key not in _LIMITS}
            for name, entry in self.schema.parameters["properties"].items()
            if name not in self.rare
        }
        parameters = {**self.schema.parameters, "properties": properties}
        return self.schema.model_copy(update={"parameters": parameters})

    @property
    def writes(self) -> bool:
        """Whether every call of it is to change something."""
        return self.asks_first and not self.judged

    @property
    def runs_alone(self) -> bool:
        """Whether all calls before it have to finish first, and later ones wait for it."""
        return self.asks_first or self.in_order

    @property
    def explained(self) -> str:
        """What it does, and its parameters, a line each."""
        told = [self.schema.description.strip()]
        properties = self.schema.parameters["properties"]
        if properties:
            told += ["", "arguments:"]
        for name, schema in properties.items():
            kind = str(schema.get("type", "any value"))
            about = " ".join(str(schema.get("description", "")).split())
            told.append(f"  {name} ({kind}) {about}".rstrip())
        return "\n".join(told)

    @property
    def signature(self) -> str:
        """The call as it is written, optional parameters with a question mark."""
        return f"{self.name}({_names(self.schema.parameters)})"

    def takes(self, arguments: Collection[str]) -> bool:
        """Whether it has parameters of all these names."""
        return self.schema.takes(arguments)

    def given(self, arguments: object) -> dict[str, Any]:
        """The arguments under the tool's own names, as far as it can be told which are meant.

        Raises:
            ToolError: "validation", when they are no arguments, or contradict each other.
        """
        found = self.schema.given(arguments, changes=self.asks_first)
        if found is None:
            raise ToolError(
                "validation",
                f"{self.name}: the arguments {arguments!r} are no object of names.",
                suggestion=f"Call {self.signature}",
            )
        if found.problems:
            raise ToolError(
                "validation",
                f"{self.name}: {'; '.join(found.problems)}",
                suggestion=f"Call {self.signature}",
            )
        return found.values

    def validate(self, arguments: object) -> dict[str, Any]:
        """The arguments converted for the function.

        None means omitted, ``2.0`` is the integer 2, other usual names and forms are understood:
        see `given_arguments`.

        Raises:
            ToolError: "validation", naming each wrong, missing or unknown parameter.
        """
        given = self.given(arguments)
        self._check_no_booleans(given)
        try:
            model = self.arguments.model_validate(given)
        except ValidationError as error:
            problems = "; ".join(self._explain(detail) for detail in error.errors())
            raise ToolError(
                "validation", f"{self.name}: {problems}", suggestion=f"Call {self.signature}"
            ) from None
        return {name: getattr(model, name) for name in model.model_fields_set}

    def located(
        self, given: Mapping[str, Any], workspace: Workspace
    ) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Arguments with the paths that are meant by those given; see `path_parameters.located`."""
        return located(given, self.names, workspace, changes=self.asks_first, gone=self.gone)

    def _check_no_booleans(self, given: Mapping[str, Any]) -> None:
        """Raise ToolError for booleans as integers, which pydantic would take for 1 and 0."""
        properties = self.schema.parameters["properties"]
        for name, value in given.items():
            if isinstance(value, bool) and properties.get(name, {}).get("type") == "integer":
                raise ToolError(
                    "validation",
                    f"{self.name}: {name}={value!r} should be a valid integer",
                    suggestion=f"Call {self.signature}",
                )

    def _explain(self, detail: ErrorDetails) -> str:
        name = ".".join(str(part) for part in detail["loc"])
        if detail["type"] == "missing":
            return f"the parameter {name!r} is missing"
        if detail["type"] == "extra_forbidden":
            known = list(self.schema.parameters["properties"])
            if len(detail["loc"]) > 1:
                items = self.schema.parameters["properties"][str(detail["loc"][0])].get("items", {})
                known = list(items.get("properties", ()))
            near = closest(name.rpartition(".")[2], known, limit=1) or known
            meant = f"meant: {', '.join(near)}?" if near else "it has none"
            return f"there is no parameter {name!r} ({meant})"
        wrong = detail["msg"].removeprefix("Input ")
        return f"{name}={detail['input']!r} {wrong[:1].lower()}{wrong[1:]}"


def tool(
    *,
    asks_first: bool = False,
    judged: bool = False,
    in_order: bool = False,
    times_itself: bool = False,
    aliases: tuple[str, ...] = (),
    foreign: tuple[str, ...] = (),
    rare: tuple[str, ...] = (),
    names: Mapping[str, Named] | None = None,
    gone: tuple[str, ...] = (),
    in_notebook: bool = False,
) -> Callable[[ToolFunction], Tool]:
    """Turn a function whose first parameter is the `Project` into a `Tool`."""

    def decorate(function: ToolFunction) -> Tool:
        description, parameters = _read_docstring(function)
        arguments = _arguments_model(function, parameters)
        return Tool(
            name=function.__name__,
            function=function,
            schema=ToolSchema(
                name=function.__name__,
                description=description,
                parameters=_json_schema(arguments),
            ),
            arguments=arguments,
            asks_first=asks_first,
            judged=judged,
            in_order=in_order,
            times_itself=times_itself,
            aliases=aliases,
            foreign=foreign,
            rare=rare,
            names=names or {},
            gone=gone,
            in_notebook=in_notebook,
        )

    return decorate


def _read_docstring(function: ToolFunction) -> tuple[str, dict[str, str]]:
    """Split a Google docstring into its description and the texts of the parameters."""
    doc = inspect.getdoc(function) or ""
    description, _, rest = doc.partition("\nArgs:\n")
    section = re.split(r"\n(?=\S)", rest, maxsplit=1)[0]
    found = re.findall(r"^    (\w+): (.*(?:\n {8,}.*)*)", section, flags=re.MULTILINE)
    return " ".join(description.split()), {name: " ".join(text.split()) for name, text in found}


def _arguments_model(function: ToolFunction, descriptions: dict[str, str]) -> type[BaseModel]:
    hints = get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {}
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        default = ... if parameter.default is inspect.Parameter.empty else parameter.default
        fields[parameter.name] = (
            hints[parameter.name],
            FieldInfo(default=default, description=descriptions.get(parameter.name)),
        )
    return create_model(
        function.__name__,
        __config__=ConfigDict(extra="forbid", coerce_numbers_to_str=True),
        **fields,
    )


def _json_schema(arguments: type[BaseModel]) -> dict[str, Any]:
    """The schema in the form that suits models: no titles, no "or null" as None means omitted."""
    schema = arguments.model_json_schema()
    inner = {f"#/$defs/{name}": entry for name, entry in schema.get("$defs", {}).items()}
    return _object_schema(schema, inner)


def _names(schema: Mapping[str, Any]) -> str:
    """The properties of an object; those of listed objects in braces."""
    required = schema.get("required", ())
    told = []
    for name, entry in schema["properties"].items():
        items = entry.get("items")
        is_listed = isinstance(items, Mapping) and isinstance(items.get("properties"), Mapping)
        inner = f": [{{{_names(items)}}}]" if is_listed else ""
        told.append(f"{name}{'' if name in required else '?'}{inner}")
    return ", ".join(told)


def _object_schema(schema: Mapping[str, Any], inner: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of an object; ``inner`` are those that it refers to."""
    properties = schema.get("properties", {})
    return {
        "type": "object",
        "properties": {name: _value_schema(entry, inner) for name, entry in properties.items()},
        "required": schema.get("required", []),
    }


def _value_schema(original: Mapping[str, Any], inner: Mapping[str, Any]) -> dict[str, Any]:
    entry = dict(original)
    options = [o for o in entry.pop("anyOf", []) if o.get("type") != "null"]
    if len(options) == 1:
        entry.update(options[0])
    elif options:
        entry["anyOf"] = options
    if entry.get("default", ...) is None:
        del entry["default"]
    entry.pop("title", None)
    if isinstance(items := entry.get("items"), Mapping) and items.get("$ref") in inner:
        entry["items"] = _object_schema(inner[items["$ref"]], inner)
    return entry
