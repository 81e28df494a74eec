"""Which tool a model means by a name."""

from collections.abc import Collection, Mapping, Sequence

from ipuaro_jupyter.records.chat import ToolSchema
from ipuaro_jupyter.text_distance import closest


class Names:
    """The tools that a reply may call, by name and by alias, case ignored.

    Args:
        schemas: The tools.
        aliases: Lower-case misnaming -> tool name. One that names a tool of its own applies only
            to calls whose parameters that tool does not have.
    """

    def __init__(self, schemas: Sequence[ToolSchema], aliases: Mapping[str, str]) -> None:
        self._schemas = {schema.name.lower(): schema for schema in schemas}
        self._aliases = aliases

    def candidates(self, name: str) -> list[ToolSchema]:
        """Return the tools that the name can mean, the likeliest first."""
        lower = name.strip().lower()
        names = [lower, self._aliases.get(lower, "").lower()]
        return [self._schemas[n] for n in dict.fromkeys(names) if n in self._schemas]

    def choose(self, name: str, given: Collection[str]) -> ToolSchema | None:
        """Return the tool that is meant when ``given`` are the call's parameters, or None.

        An alias counts only for a call that the tool can take as it is.
        """
        candidates = self.candidates(name)
        for schema in candidates:
            if set(given) <= set(properties(schema)):
                return schema
        exact = [schema for schema in candidates if schema.name.lower() == name.strip().lower()]
        return exact[0] if exact else None

    def any_quoted_in(self, text: str) -> bool:
        """Whether the name of one of the tools stands in the text, in double quotes."""
        return any(f'"{name}"' in text for name in self._names)

    def unknown(self, name: str) -> str:
        """Return the sentence that tells the model which tools it may have meant."""
        near = [schema.name for schema in self.candidates(name)]
        near += [n for n in closest(name, self._names, cutoff=0.4) if n not in near]
        meant = "; ".join(signature(self._schemas[n.lower()]) for n in near or self._names)
        return f"There is no tool {name!r}. Use one of: {meant}."

    @property
    def _names(self) -> list[str]:
        return sorted(schema.name for schema in self._schemas.values())


def properties(schema: ToolSchema) -> Mapping[str, Mapping[str, object]]:
    """Return the JSON schemas of the tool's parameters by name."""
    found: Mapping[str, Mapping[str, object]] = schema.parameters.get("properties", {})
    return found


def required(schema: ToolSchema) -> Collection[str]:
    """Return the names of the parameters that a call must have."""
    found: Collection[str] = schema.parameters.get("required", ())
    return found


def signature(schema: ToolSchema) -> str:
    """Return the call as one writes it, optional parameters with a question mark."""
    needed = required(schema)
    shown = [name if name in needed else f"{name}?" for name in properties(schema)]
    return f"{schema.name}({', '.join(shown)})"
