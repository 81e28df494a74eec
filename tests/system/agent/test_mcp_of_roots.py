"""The MCP servers of a root run in that root; the user's own in the first one."""

import json
import sys

from opened_mcp import SERVERS

from ipuaro_jupyter.records.change import Decision
from ipuaro_jupyter.settings.opened_folder import opened_folder


def _named(notes):
    """A server that writes its process id into this file of the folder that it runs in."""
    args = [str(SERVERS / "workshop.py"), notes]
    return {"mcpServers": {"shop": {"command": sys.executable, "args": args}}}


def test_each_runs_where_its_settings_are(home, make_project, open_assistant):
    api = make_project({}, "api")
    web = make_project({".ipuaro.json": json.dumps(_named("of-web"))}, "web")
    (home / "settings.json").write_text(json.dumps(_named("of-user")))
    opened_folder(web, {}, confirm=lambda _: Decision(action="apply"))
    with open_assistant([api, web], []) as assistant:
        for name in ("shop", "web-shop"):
            greeted = assistant.call(f"mcp__{name}__greet", {"name": "Ada"})
            assert greeted.success, greeted.text()
        assert any("run in web: web-shop" in notice for notice in assistant.notices)
    assert {path.name for path in api.iterdir()} == {"of-user"}
    assert {path.name for path in web.iterdir()} == {".ipuaro.json", "of-web"}
