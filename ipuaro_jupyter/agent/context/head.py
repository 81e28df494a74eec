"""The head of a session's requests: made once, and kept with the session."""

import json
from collections.abc import Callable, Sequence
from hashlib import sha256

from ipuaro_jupyter.agent.agent_settings import AgentSettings
from ipuaro_jupyter.agent.context.context_window import ContextWindow
from ipuaro_jupyter.agent.context.guides import guide_hashes
from ipuaro_jupyter.agent.context.prompt import PromptRoom, prompt_rules, system_prompt
from ipuaro_jupyter.agent.context.tokens import count_tokens, schemas_tokens
from ipuaro_jupyter.agent.context.tool_profile import ToolOffer
from ipuaro_jupyter.agent.context.tool_texts import fitted_schemas
from ipuaro_jupyter.index.project_map import project_map
from ipuaro_jupyter.llm import Model
from ipuaro_jupyter.records.chat import ToolSchema
from ipuaro_jupyter.records.head import Head
from ipuaro_jupyter.sessions.session import Session
from ipuaro_jupyter.tools.tool import Project

_ADDED_SHARE = 0.1  # of the window, for the tools of the user and of MCP servers
_SETTINGS = {
    *("system_prompt_tokens", "map_share", "guide_tokens", "redact"),
    *("reply_tokens", "max_context_usage"),
}
_LISTING = "get_structure"
_SEE = f": see {_LISTING}"
_NO_MAP = "It has no files that could be listed here."


def steady_head(
    session: Session,
    project: Project,
    offer: ToolOffer,
    window: ContextWindow,
    *,
    settings: AgentSettings,
    given: Sequence[str],
    hidden: Callable[[str], str],
) -> Head:
    """The head that is kept with a session, or a new one where there is none that fits.

    Args:
        session: It keeps the head.
        project: The project.
        offer: The tools.
        window: The window of the model, which has to be prepared.
        settings: How much room there is.
        given: Further settings: when they differ, a new head is made.
        hidden: Removes secrets from the content of files.

    Raises:
        StorageError: Redis has gone.
    """
    made = _made_of(project, offer, window.model, settings, given=given)
    head = session.head
    if head is None or head.made_of != made or not window.has_room(head):
        room = window.prompt_room(is_short=offer.is_core)
        head = _new_head(project, offer, window.model, room, made=made, hidden=hidden)
        session.keep_head(head)
    return head


def _made_of(
    project: Project,
    offer: ToolOffer,
    model: Model,
    settings: AgentSettings,
    *,
    given: Sequence[str],
) -> str:
    """Identifies what a head is made for: another one is needed when this differs.

    What changes by itself does not count: files, guides, what is asked, and the tools of servers.

    Args:
        project: The project.
        offer: The tools.
        model: The model that reads it.
        settings: How much room it has.
        given: Settings that choose tools.
    """
    own = offer.own
    parts = {
        "model": [model.name, model.context_tokens, model.native_tools],
        "settings": [offer.is_core, *given, settings.model_dump(include=_SETTINGS)],
        "tools": [schema.to_dict() for schema in own],
        "rules": prompt_rules(project.workspace.root.name, own),
    }
    return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _new_head(
    project: Project,
    offer: ToolOffer,
    model: Model,
    room: PromptRoom,
    *,
    made: str,
    hidden: Callable[[str], str],
) -> Head:
    """A head for requests from now on.

    Args:
        project: The project.
        offer: The tools; those that the user has added are shown as far as they fit.
        model: The model that reads it.
        room: The maximum sizes, without added tools.
        made: See `_made_of`.
        hidden: Removes secrets from the content of files.

    Raises:
        StorageError: Redis has gone.
    """
    added = _that_fit(offer.added, _ADDED_SHARE * model.context_tokens)
    shown = (*offer.own, *added)
    names = tuple(schema.name for schema in shown)
    if added and room.is_short:
        room = room._replace(tokens=room.tokens + schemas_tokens(added))
    prompt = system_prompt(
        project,
        shown,
        native_tools=model.native_tools,
        room=room,
        overview=lambda tokens: overview(project, tokens=tokens, shown=frozenset(names)),
        hidden=hidden,
    )
    return Head(
        made_of=made,
        system=prompt.text.encode("utf-8", "replace").decode(),
        tools=prompt.tools,
        shown=names,
        added=tuple(schema.name for schema in offer.added),
        guides=guide_hashes(project.workspace),
    )


def _that_fit(schemas: Sequence[ToolSchema], tokens: float) -> tuple[ToolSchema, ...]:
    """The first of the tools that fit, with shorter descriptions where that makes room."""
    shown = fitted_schemas(schemas, tokens, size=schemas_tokens)
    while shown and schemas_tokens(shown) > tokens:
        shown = shown[:-1]
    return shown


def overview(project: Project, *, tokens: float, shown: frozenset[str]) -> str:
    """The map of a project in at most ``tokens`` tokens; it does not depend on what is asked.

    Args:
        project: The project.
        tokens: The maximum size of the map.
        shown: The names of the tools that the model is shown: the map mentions no others.

    Raises:
        StorageError: Redis has gone.
    """
    found = project_map(project.index, tokens, size=count_tokens) or _NO_MAP
    return found if _LISTING in shown else found.replace(_SEE, "")
