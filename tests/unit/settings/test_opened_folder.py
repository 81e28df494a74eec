"""The settings of several roots, and roots that settings name."""

import json

import pytest

from ipuaro_jupyter.records.change import Decision
from ipuaro_jupyter.settings.opened_folder import opened_folder


@pytest.fixture
def roots(home, make_project):
    """Two folders, and the function that writes settings of one of them or of the user."""
    del home
    return make_project({}, name="api"), make_project({}, name="web")


def say(folder, **settings):
    name = "settings.json" if folder.name == "home" else ".ipuaro.json"
    (folder / name).write_text(json.dumps(settings))


def yes(proposal):
    del proposal
    return Decision(action="apply")


def test_settings_of_a_root_tighten_and_never_loosen_all(roots, home):
    """What was approved of one project does not permit anything in another."""
    api, web = roots
    say(api, approve="all")
    opened_folder(api, {}, confirm=yes)
    assert opened_folder(api, {}).loaded.settings.approve == "all"
    _, loaded = opened_folder(roots, {}, confirm=yes)
    assert loaded.settings.approve == "ask"
    assert "api/.ipuaro.json" in loaded.notices[0]
    say(web, approve="never")
    say(home, approve="edits")
    assert opened_folder(roots, {}).loaded.settings.approve == "never"


def test_patterns_of_a_root_hold_for_it_alone(roots, home):
    api, _ = roots
    say(api, project={"ignorePatterns": ["/out", "*.gen.ts", "!docs/keep", "# a comment", ""]})
    say(home, project={"ignorePatterns": ["tmp/"]})
    _, loaded = opened_folder(roots, {})
    assert loaded.settings.project.ignore_patterns == (
        *("/api/out", "/api/**/*.gen.ts", "!/api/docs/keep"),
        "/web/**/tmp/",
    )
    say(api)
    assert opened_folder(roots, {}).loaded.settings.project.ignore_patterns == ("tmp/",)


def test_names_with_signs_of_patterns_mean_themselves(make_project, home):
    del home
    folders = [make_project({}, name="a[b]"), make_project({}, name="web")]
    say(folders[0], project={"ignorePatterns": ["x"]})
    patterns = opened_folder(folders, {}).loaded.settings.project.ignore_patterns
    assert patterns == (r"/a\[b\]/**/x",)


DB = {"command": "db", "cwd": "tools"}


def test_servers_of_a_root_run_in_it_once_they_are_approved_for_it(roots, home):
    api, web = roots
    say(home, mcpServers={"db": {"command": "mine"}})
    say(web, mcpServers={"db": DB, "far": {"url": "http://far.example"}, "off": {"disabled": True}})
    _, loaded = opened_folder([api, web], {})
    assert [*loaded.settings.mcp_servers] == ["db", "off"]
    assert "once you have approved them when that root is opened alone" in loaded.notices[0]
    opened_folder(web, {}, confirm=yes)
    _, loaded = opened_folder([api, web], {})
    servers = loaded.settings.mcp_servers
    assert servers["db"].command == "mine"
    db, far = servers["web-db"], servers["web-far"]
    assert (db.command, db.cwd, db.root) == ("db", "tools", "web")
    assert (far.url, far.cwd) == ("http://far.example", None)
    assert "web-off" not in servers
    assert "run in web: web-db, web-far." in loaded.notices[0]


def test_what_else_is_approved_for_a_root_still_does_not_count_for_others(roots):
    api, web = roots
    server = {"command": "db", "cwd": "~/x", "root": "api"}
    say(web, mcpServers={"db": server}, approve="all")
    opened_folder(web, {}, confirm=yes)
    _, loaded = opened_folder([api, web], {})
    server = loaded.settings.mcp_servers["web-db"]
    assert (server.cwd, server.root) == ("~/x", "web")
    assert loaded.settings.approve == "ask"
    assert "do not count, approved or not" in loaded.notices[0]


def test_servers_of_a_root_whose_file_has_changed_since_do_not_count(roots):
    api, web = roots
    say(web, mcpServers={"db": DB})
    opened_folder(web, {}, confirm=yes)
    say(web, mcpServers={"db": {**DB, "args": ["--all"]}})
    _, loaded = opened_folder([api, web], {})
    assert loaded.settings.mcp_servers == {}


def test_a_server_takes_no_others_name(home, make_project):
    web, web_x = make_project({}, name="web"), make_project({}, name="web-x")
    say(home, mcpServers={"web-x-db": {"command": "mine"}, "web-off": {"disabled": True}})
    say(web, mcpServers={"x-db": {"command": "of-web"}, "off": {"command": "on"}})
    say(web_x, mcpServers={"db": {"command": "of-web-x"}})
    for root in (web, web_x):
        opened_folder(root, {}, confirm=yes)
    _, loaded = opened_folder([web, web_x], {})
    servers = {name: (one.command, one.root) for name, one in loaded.settings.mcp_servers.items()}
    assert servers == {
        "web-x-db": ("mine", None),
        "web-off": ("on", "web"),
        "web-x-db-2": ("of-web", "web"),
        "web-x-db-3": ("of-web-x", "web-x"),
    }
    assert "run in web: web-x-db-2 (there is another web-x-db), web-off." in loaded.notices[0]
    assert "run in web-x: web-x-db-3 (there is another web-x-db)." in loaded.notices[1]


def test_a_root_switches_off_the_users_servers_and_no_other_roots(home, make_project):
    app, web, zoo = (make_project({}, name=name) for name in ("app", "web", "zoo"))
    say(home, mcpServers={"mine": {"command": "mine"}})
    say(web, mcpServers={"db": DB})
    opened_folder(web, {}, confirm=yes)
    for other in (app, zoo):
        say(other, mcpServers={"web-db": {"disabled": True}, "mine": {"disabled": True}})
    servers = opened_folder([app, web, zoo], {}).loaded.settings.mcp_servers
    assert not servers["web-db"].disabled
    assert servers["mine"].disabled
