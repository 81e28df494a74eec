"""What counts of a project's settings before the user has approved them."""

from collections.abc import Mapping
from typing import Any

from ipuaro_jupyter.llm import LlmSettings
from ipuaro_jupyter.llm.hosts import is_cloud_model
from ipuaro_jupyter.llm.local import is_weights_path
from ipuaro_jupyter.llm.open_model import RECORDED, door
from ipuaro_jupyter.workspace.sandbox.confinement import SandboxMode, stricter

SERVERS = "mcpServers"
_UNTRUSTED = ("redis", "commands", SERVERS)
STRICT_FIRST = ("never", "ask", "checked", "edits", "all")
"""The values of ``approve``."""
_CHECKS = "checks"
_RARE_FIRST = ("never", "ask", "always")


def tightened(values: dict[str, Any], own: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The part of an untrusted file that counts over the user's ``own``, and the keys left out."""
    kept = {key: value for key, value in values.items() if key not in _UNTRUSTED}
    ignored = [key for key in values if key in _UNTRUSTED]
    commands = values.get("commands", {})
    sandbox = commands.get("sandbox")
    if sandbox and sandbox == stricter(sandbox, _own_sandbox(own)):
        kept["commands"] = {"sandbox": sandbox}
        if commands == kept["commands"]:
            ignored.remove("commands")
    servers = values.get(SERVERS, {})
    off = {name: server for name, server in servers.items() if server.get("disabled")}
    if off:
        kept[SERVERS] = off
    if SERVERS in ignored and off == servers:
        ignored.remove(SERVERS)
    approve = own.get("approve", "ask")
    wished = values.get("approve", "never")
    is_looser = STRICT_FIRST.index(wished) > STRICT_FIRST.index(approve)
    # "checked" runs the project's programs, which "edits" and "all" do not.
    if is_looser or wished == "checked" != approve:
        del kept["approve"]
        ignored.append("approve")
    checks, wanted = values.get(_CHECKS, {}), own.get(_CHECKS, {}).get("before", "ask")
    if _RARE_FIRST.index(checks.get("before", "never")) > _RARE_FIRST.index(wanted):
        kept[_CHECKS] = {key: v for key, v in checks.items() if key != "before"}
        ignored.append("checks.before")
    if values.get("context", {}).get("redact") is False:
        kept["context"] = {key: v for key, v in values["context"].items() if key != "redact"}
        ignored.append("context.redact")
    if "llm" in kept:
        kept["llm"], left_out = _tightened_model(values["llm"], own.get("llm", {}))
        ignored += left_out
    return kept, sorted(ignored)


def without_looser_sandbox(
    values: dict[str, Any], own: Mapping[str, Any]
) -> tuple[dict[str, Any], str]:
    """A project's settings without a sandbox looser than the user's, approved or not.

    Returns:
        The settings, and a remark for the user in which {file} is to be named; "" without one.
    """
    commands = values.get("commands", {})
    wished, mine = commands.get("sandbox", "required"), _own_sandbox(own)
    if stricter(wished, mine) == wished:
        return values, ""
    rest = {key: value for key, value in commands.items() if key != "sandbox"}
    left = {key: value for key, value in values.items() if key != "commands"}
    if rest:
        left["commands"] = rest
    told = f'"commands.sandbox": "{wished}" in {{file}} does not count: yours is "{mine}", '
    return left, f"{told}and only your own settings can loosen it."


def _own_sandbox(own: Mapping[str, Any]) -> SandboxMode:
    mode: SandboxMode = own.get("commands", {}).get("sandbox", "auto")
    return mode


def _tightened_model(
    values: Mapping[str, Any], own: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """The settings of the model that count, and the keys left out."""
    left_out = ["host"] if "host" in values else []
    if "model" in values and not _stays(values["model"], own.get("model") or LlmSettings().model):
        left_out.append("model")
    kept = {key: value for key, value in values.items() if key not in left_out}
    return kept, [f"llm.{key}" for key in left_out]


def _stays(model: str, own: str) -> bool:
    """Whether a project's model gets its prompts where the user's own model gets them.

    A path may lead to a file that came with the project.
    """
    if model.startswith(RECORDED) or is_weights_path(model):
        return False
    return model == own or (door(model) == door(own) and not is_cloud_model(model))
