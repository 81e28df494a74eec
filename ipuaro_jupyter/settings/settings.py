"""The settings: the rooms' own classes composed, read from files and flags.

The project's ``.ipuaro.json`` overrides the user's ``settings.json``, which overrides the defaults;
values given to `start` or a magic override these, and those of the system all. A cloned repository
is not trusted: its file may tighten permissions, but loosen them only once the user has approved
its content. The environment variable IPUARO_REDIS_URL overrides the files' ``redis.url``; empty, it
means the embedded server.
"""

import json
import os
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field, ValidationError, field_validator

from ipuaro_jupyter.agent.agent_settings import AgentSettings
from ipuaro_jupyter.agent.context.tool_profile import Profile
from ipuaro_jupyter.agent.mcp.mcp_settings import McpServerSettings
from ipuaro_jupyter.agent.mcp.mcp_tools import PREFIX
from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.index.storage.index_settings import IndexSettings
from ipuaro_jupyter.llm import LlmSettings
from ipuaro_jupyter.llm.hosts import is_ollamas_cloud
from ipuaro_jupyter.project.checks.check_settings import CheckSettings
from ipuaro_jupyter.records.record import Record
from ipuaro_jupyter.settings.project_file import PROJECT_FILE as PROJECT_FILE  # noqa: PLC0414
from ipuaro_jupyter.settings.project_file import Asking, what_counts
from ipuaro_jupyter.settings.project_file import flat as flat  # noqa: PLC0414 - of all settings
from ipuaro_jupyter.settings.removed_settings import without_removed
from ipuaro_jupyter.settings.shown_settings import shown_value
from ipuaro_jupyter.settings.system_settings import locked, names_key, system_file
from ipuaro_jupyter.settings.tightening import SERVERS
from ipuaro_jupyter.small_file import read_small
from ipuaro_jupyter.store.connection import StoreSettings
from ipuaro_jupyter.store.user_folders import home
from ipuaro_jupyter.text_distance import closest
from ipuaro_jupyter.tools import load_tools
from ipuaro_jupyter.tools.tool import TIMEOUT_S
from ipuaro_jupyter.workspace.approval import Confirm
from ipuaro_jupyter.workspace.files.watch import WatchSettings
from ipuaro_jupyter.workspace.git.git_program import COMMIT_S
from ipuaro_jupyter.workspace.sandbox.confinement import SandboxMode
from ipuaro_jupyter.workspace.workspace import Approve, WorkspaceSettings

REDIS_VARIABLE = "IPUARO_REDIS_URL"
_OWN_ONLY = {
    ("context", "notebook"): "what the model may see of your notebook",
    ("llm", "modelsFolder"): "where files of weights are that all users of this machine share",
    ("llm", "maxTokensPerDay"): "how many tokens your questions may take",
    ("sessions", "maxKept"): "how many sessions are kept",
    ("project", "executor"): "where the text of your code is parsed",
}
_OLLAMA_KEY = "OLLAMA_API_KEY"
_LLM, _HOST = "llm", "host"
_VARIABLE, _KEY_HOST = "apiKeyEnv", "apiKeyHost"


class UndoSettings(Record):
    """What can be undone."""

    stack_size: int = Field(
        10, ge=1, le=1000, description="How many of a session's edits can be undone, newest first."
    )


class SessionSettings(Record):
    """The conversations that are kept."""

    max_kept: int | None = Field(
        None,
        ge=1,
        description="The most sessions that a project keeps: the oldest that are not open go, with "
        "what can be undone in them; null is no limit. Never from a project's file.",
    )


class CommandSettings(Record):
    """The environment that commands get, and what confines them."""

    pass_environment: tuple[str, ...] = Field(
        (), description="Variables that they get even if they look secret, such as `AWS_*`."
    )
    sandbox: SandboxMode = Field(
        "auto",
        description="Whether they run in a sandbox: where the system has one (auto), always, or "
        "not at all (required), never (off).",
    )
    commit_s: float = Field(
        COMMIT_S, gt=0, description="Seconds that a commit may take, with the hooks of git."
    )


class ToolSettings(Record):
    """The tools that the model is shown and may call, and how long a call may take."""

    enabled: tuple[str, ...] | None = Field(
        None,
        description="The only tools that the model may call, and all that it is shown, whatever "
        "the profile: names or patterns, such as `find_*` or `mcp__*`; null is all.",
    )
    profile: Profile = Field(
        "auto",
        description="The tools that the model is shown: the twelve of `core` and those that you "
        "have added, or all (full); auto is full above a window of 16k tokens for a model that is "
        "known to have more than 15 billion parameters. It may call the others too.",
    )
    timeout_s: float = Field(
        TIMEOUT_S,
        gt=0,
        description="Seconds that a call may take, your decisions not counted; commands, tests, "
        "commits and MCP servers have their own limits.",
    )

    in_jupyter_server: bool = Field(
        default=False,
        description="Whether jupyter-server-mcp may offer tools that read: on a port that asks "
        "every user of the machine for no key. Counts in your own settings only.",
    )

    @field_validator("enabled")
    @classmethod
    def _known(cls, names: tuple[str, ...] | None) -> tuple[str, ...] | None:
        for name in names or ():
            if name.lower().startswith(PREFIX):
                continue  # the tools of a server are known once it runs
            known = [tool.name for tool in load_tools()]
            if not any(fnmatchcase(tool, name.lower()) for tool in known):
                near = closest(name, known, limit=1)  # a word unlike any option may be a secret
                named = f" {name!r}. Did you mean {near[0]!r}?" if near else " of that name."
                told = f"there is no tool{named} Tools: {', '.join(known)}"
                raise ValueError(told)
        return names


class DisplaySettings(Record):
    """How long a notebook waits for you."""

    ask_timeout_s: float = Field(
        1800.0, gt=0, description="Seconds after which an unanswered question is rejected."
    )
    front_end_timeout_s: float = Field(
        15.0,
        gt=0,
        description="Seconds after which a question that no front end has shown is rejected.",
    )


class Settings(Record):
    """All settings."""

    redis: StoreSettings = Field(default_factory=StoreSettings)
    llm: LlmSettings = Field(default_factory=LlmSettings)
    project: IndexSettings = Field(default_factory=IndexSettings)
    watchdog: WatchSettings = Field(default_factory=WatchSettings)
    context: AgentSettings = Field(default_factory=AgentSettings)
    commands: CommandSettings = Field(default_factory=CommandSettings)
    undo: UndoSettings = Field(default_factory=UndoSettings)
    sessions: SessionSettings = Field(default_factory=SessionSettings)
    checks: CheckSettings = Field(default_factory=CheckSettings)
    tools: ToolSettings = Field(default_factory=ToolSettings)
    display: DisplaySettings = Field(default_factory=DisplaySettings)
    mcp_servers: dict[str, McpServerSettings] = Field(
        default_factory=dict, description="MCP servers by name, whose tools the model may call."
    )
    approve: Approve = Field(
        "ask",
        description="What is applied without asking: nothing (ask), edits that add no type error "
        "and break no test that reaches them (checked), edits, all; never rejects everything.",
    )

    def workspace(self) -> WorkspaceSettings:
        """The settings of the workspace."""
        return WorkspaceSettings(
            approve=self.approve,
            undo_depth=self.undo.stack_size,
            pass_environment=self.commands.pass_environment,
            ignore_patterns=self.project.ignore_patterns,
            sandbox=self.commands.sandbox,
            commit_s=self.commands.commit_s,
        )


class LoadedSettings(NamedTuple):
    """The settings, and remarks for the user about how they were loaded.

    ``sources`` says for each key that is not a default, as in "llm.model", where it was set.
    """

    settings: Settings
    notices: tuple[str, ...]
    sources: Mapping[str, str]


def load_settings(
    root: Path,
    flags: Mapping[str, Any],
    *,
    auto_apply: bool = False,
    confirm: Confirm | None = None,
) -> LoadedSettings:
    """Read the settings for the project at ``root``.

    Args:
        root: The project's folder.
        flags: Settings that override the files.
        auto_apply: Sets ``approve`` to "edits".
        confirm: Asks the user whether the project's own settings may loosen permissions, once for
            each content of the file; None when there is nobody to ask, which means no.

    Raises:
        SettingsError: A file is not a JSON object, or a key is unknown or has a wrong value; names
            the file, the key and the allowed values.
    """
    user = user_file()
    project = root / PROJECT_FILE
    content = _content(project)
    merged: dict[str, Any] = {}
    sources: dict[str, str] = {}
    notices: list[str] = []
    own: dict[str, Any] = {}
    url = os.environ.get(REDIS_VARIABLE)
    for source, read in (
        (str(user), without_schema(read_settings(user))),
        (str(project), without_schema(_read(project, content))),
        (REDIS_VARIABLE, {} if url is None else {"redis": {"url": url or None}}),
        ("the settings that were given", dict(flags)),
    ):
        notices += without_removed(read, source)[1]
        values = _plain(validated(read, source))
        if source == str(project):
            values, named = without_key(values)
            if named:
                notices.append(ignored_notice(named, user))
            values, told = without_own_only(values, user)
            notices += told
            defaults = flat(_merge(Settings().model_dump(by_alias=True), merged))
            asking = Asking(root, content or b"", defaults, user, confirm)
            values, told = what_counts(values, merged, asking)
            notices += told
        else:
            own = _merge(own, values)
        merged = _merge(merged, values)
        sources.update(dict.fromkeys(flat(values), source))
    if auto_apply:
        merged["approve"] = "edits"
        sources["approve"] = "auto_apply"
    system = system_settings()
    notices += without_removed(read_settings(system_file()), str(system_file()))[1]
    if names_key(system):
        own = locked(own, system).values
    merged, overridden, remarks = locked(merged, system)
    sources |= overridden
    merged, withheld = bound_to_host(merged, own, user)
    notices += [*remarks, withheld] if withheld else remarks
    return LoadedSettings(validated(merged, "the settings"), tuple(notices), sources)


def system_settings() -> dict[str, Any]:
    """The settings that the system has locked, nested as they are written; see `system_settings`.

    Raises:
        SettingsError: The file cannot be read, or a key is unknown or has a wrong value.
    """
    file = system_file()
    return _plain(validated(without_schema(read_settings(file)), str(file)))


def user_file() -> Path:
    """The user's own settings, which may not exist yet."""
    return home() / "settings.json"


def read_settings(path: Path) -> dict[str, Any]:
    """The content of a settings file as plain data; empty when there is none.

    Raises:
        SettingsError: It cannot be read, or is not a JSON object.
    """
    return _read(path, _content(path))


def _content(path: Path) -> bytes | None:
    """The content of a file; None when there is none."""
    try:
        return read_small(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        why = error.strerror
        raise SettingsError(f"{path} cannot be read: {why}. Mend it, or remove it.") from error


def _read(path: Path, content: bytes | None) -> dict[str, Any]:
    if content is None:
        return {}
    try:
        values = json.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path} cannot be read: {error}. Mend it, or remove it.") from error
    except ValueError as error:
        raise SettingsError(f"{path} is no JSON: {error}. Mend it, or remove it.") from error
    if not isinstance(values, dict):
        raise SettingsError(f'{path} holds no JSON object, such as {{"approve": "ask"}}.')
    return values


def without_schema(values: Mapping[str, Any]) -> dict[str, Any]:
    """The settings themselves, without the key that names their JSON schema to editors."""
    return {key: value for key, value in values.items() if key != "$schema"}


def validated(values: Mapping[str, Any], source: str) -> Settings:
    """The settings with these values, but for those removed; ``source`` is named in the error.

    Raises:
        SettingsError: A key is unknown or has a wrong value.
    """
    try:
        return Settings.model_validate(without_removed(values, source)[0])
    except ValidationError as error:
        detail = error.errors()[0]
        key = ".".join(str(part) for part in detail["loc"])
        if detail["type"] == "extra_forbidden":
            known = _keys(detail["loc"][:-1])
            near = _meant(str(detail["loc"][-1]), known)
            hint = f" Did you mean {near!r}?" if near else ""
            problem = f"is unknown.{hint} Allowed: {', '.join(sorted(known))}."
        else:
            problem = f"is {shown_value(detail['input'])}: {detail['msg']}."
        raise SettingsError(f"In {source}: {key!r} {problem}") from None


def _meant(name: str, known: Sequence[str]) -> str | None:
    """The key of the same name at another place, else the closest one at the same place."""
    elsewhere = [key for key in flat(Settings().model_dump(by_alias=True)) if _last(key) == name]
    return next(iter([*elsewhere, *closest(name, known, limit=1)]), None)


def _last(key: str) -> str:
    return key.rpartition(".")[2]


def _keys(location: tuple[int | str, ...]) -> list[str]:
    """The names allowed at a place in the settings, as they are written."""
    schema = Settings.model_json_schema(by_alias=True)
    place: dict[str, Any] = schema
    for part in location:
        place = place.get("properties", {}).get(part) or place["additionalProperties"]
        if reference := place.get("$ref"):
            place = schema["$defs"][reference.rpartition("/")[2]]
    return list(place["properties"])


def _plain(settings: Settings) -> dict[str, Any]:
    """The values that were set, and no defaults, with one spelling for each key."""
    return settings.model_dump(by_alias=True, exclude_unset=True)


def _merge(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """``below`` overridden by ``above``; MCP servers are replaced as a whole."""
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        if not isinstance(old, Mapping) or not isinstance(value, Mapping):
            merged[key] = value
        else:
            merged[key] = {**old, **value} if key == SERVERS else _merge(old, value)
    return merged


def without_own_only(values: Mapping[str, Any], user: Path) -> tuple[dict[str, Any], list[str]]:
    """A project's settings without those that are the user's, and a remark on each that was there.

    Args:
        values: The project's settings.
        user: The user's settings file, for the remarks.
    """
    left, remarks = dict(values), []
    for (group, key), what in _OWN_ONLY.items():
        inner = left.get(group, {})
        if key in inner:
            left[group] = {name: value for name, value in inner.items() if name != key}
            remarks.append(
                f"{group}.{key} of a project's file never counts, approved or not: only your own "
                f"settings, such as {user}, say {what}."
            )
    return left, remarks


def without_key(values: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """A project's settings without those of the key, and which these were.

    A project could otherwise have any variable of the environment sent to any host.
    """
    model = values.get(_LLM, {})
    named = [f"{_LLM}.{key}" for key in (_VARIABLE, _KEY_HOST) if key in model]
    left = {key: value for key, value in model.items() if key not in (_VARIABLE, _KEY_HOST)}
    return ({**values, _LLM: left} if named else dict(values)), named


def ignored_notice(named: list[str], user: Path) -> str:
    """The remark that a project's settings of the key do not count."""
    return (
        f"{', '.join(named)} of a project's file never counts, approved or not: only your own "
        f"settings, such as {user}, say where a key is and who gets it."
    )


def bound_to_host(
    merged: dict[str, Any], own: Mapping[str, Any], user: Path
) -> tuple[dict[str, Any], str | None]:
    """The settings with the key bound to the user's own host, and a remark if it stays away.

    Args:
        merged: All settings.
        own: Those that do not come from the project's file.
        user: The user's settings file, for the remark.
    """
    model, mine = merged.get(_LLM, {}), own.get(_LLM, {})
    variable = model.get(_VARIABLE)
    if not variable and model.get(_HOST) == mine.get(_HOST):
        return merged, None  # OLLAMA_API_KEY needs no setting
    key_host = mine.get(_KEY_HOST)
    if key_host is None:
        key_host = mine.get(_HOST) or ""
    bound = {**merged, _LLM: {**model, _KEY_HOST: key_host}}
    host = model.get(_HOST)
    if not variable and _OLLAMA_KEY in os.environ and not is_ollamas_cloud(host or ""):
        variable = _OLLAMA_KEY
    if not variable or not host or _is_one_server(host, key_host):
        return bound, None
    return bound, (
        f"The key in {variable} is not sent to {_named(host)}, because your own settings "
        f"do not name that server. To send it there, set llm.apiKeyHost in {user} to its address."
    )


def _is_one_server(host: str, other: str) -> bool:
    from ipuaro_jupyter.llm.openai import is_one_server  # noqa: PLC0415 - rarely needed

    return is_one_server(host, other)


def _named(host: str) -> str:
    """The host as it may be shown: without a password."""
    from ipuaro_jupyter.settings.shown_settings import without_secrets  # noqa: PLC0415 - the same

    return str(without_secrets({_LLM: {_HOST: host}})[_LLM][_HOST])
