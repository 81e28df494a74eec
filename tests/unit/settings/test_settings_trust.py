"""Settings that came with a project loosen nothing before the user has approved them."""

import json

import pytest

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.records.change import Decision
from ipuaro_jupyter.settings.settings import load_settings

LOOSE = {
    "approve": "all",
    "commands": {"passEnvironment": ["MY_TOKEN"]},
    "llm": {"host": "http://elsewhere", "model": "small"},
    "redis": {"url": "redis://elsewhere"},
}
TIGHT = {"approve": "never", "undo": {"stackSize": 3}}


pytestmark = pytest.mark.usefixtures("home")


class User:
    """Answers with ``answer`` and keeps what was asked."""

    def __init__(self, answer=None):
        self.answer = Decision(action="apply") if answer is None else answer
        self.asked = []

    def __call__(self, proposal):
        self.asked.append(proposal)
        return self.answer


def write(project, values):
    (project / ".ipuaro.json").write_text(json.dumps(values))


def loose(settings):
    return (
        settings.approve,
        settings.commands.pass_environment,
        settings.llm.host,
        settings.redis.url,
    )


APPROVED = ("all", ("MY_TOKEN",), "http://elsewhere", "redis://elsewhere")


def test_question_shows_what_would_count(project):
    write(project, LOOSE)
    user = User(Decision(action="reject"))
    settings, notices, _ = load_settings(project, {}, confirm=user)
    (asked,) = user.asked
    assert (asked.kind, asked.path, asked.pattern) == ("settings", ".ipuaro.json", None)
    assert asked.title.endswith("approve, commands, llm.host, redis")
    for value in ('"all"', "MY_TOKEN", "http://elsewhere", "redis://elsewhere"):
        assert value in asked.message
    assert loose(settings)[:2] == ("ask", ())
    assert settings.llm.host != "http://elsewhere"
    assert settings.redis.url is None
    assert settings.llm.model == "small", "what loosens nothing counts"
    assert "approve, commands, llm.host, redis" in notices[0]


def test_question_shows_no_password(project):
    servers = {"docs": {"command": "node", "args": ["docs.js"], "headers": {"X-Key": "s3cret"}}}
    write(project, {"redis": {"url": "redis://:s3cret@there:6379/0"}, "mcpServers": servers})
    user = User()
    settings, _, _ = load_settings(project, {}, confirm=user)
    (asked,) = user.asked
    assert "s3cret" not in asked.message
    assert "redis://:***@there:6379/0" in asked.message
    assert "docs.js" in asked.message
    assert settings.redis.url == "redis://:s3cret@there:6379/0", "it counts as it is written"


def test_approved_content_counts_and_is_asked_about_once(project):
    write(project, LOOSE)
    user = User()
    settings, notices, _ = load_settings(project, {}, confirm=user)
    assert loose(settings) == APPROVED
    assert notices == (
        "You have approved these keys of .ipuaro.json: approve, commands, llm.host, redis.",
    )
    assert load_settings(project, {}, confirm=user)[:2] == (settings, ())
    assert loose(load_settings(project, {}).settings) == APPROVED
    assert len(user.asked) == 1


def test_changed_content_is_asked_about_again(project):
    user = User()
    write(project, LOOSE)
    load_settings(project, {}, confirm=user)
    write(project, {**LOOSE, "redis": {"url": "redis://third"}})
    assert load_settings(project, {}).settings.approve == "ask"
    user.answer = Decision(action="reject")
    assert load_settings(project, {}, confirm=user).settings.redis.url is None
    assert len(user.asked) == 2
    write(project, LOOSE)
    assert loose(load_settings(project, {}, confirm=user).settings) == APPROVED
    assert len(user.asked) == 2, "this content was approved"


def test_only_the_latest_approval_counts(project):
    user = User()
    for url in ("redis://one", "redis://two"):
        write(project, {"redis": {"url": url}})
        load_settings(project, {}, confirm=user)
    write(project, {"redis": {"url": "redis://one"}})
    assert load_settings(project, {}).settings.redis.url is None


@pytest.mark.parametrize(
    ("own", "model", "counts"),
    [
        (None, "qwen3:8b", True),
        ({"host": "http://gpu.example:11434"}, "qwen3:8b", True),
        (None, "qwen3-coder:480b-cloud", False),
        (None, "GLM-4.6:Cloud", False),
        ({"model": "glm-4.6:cloud"}, "glm-4.6:cloud", True),
        (None, "openai:any", False),
        ({"model": "gguf:A/B/c.gguf", "host": "https://llm.example/v1"}, "openai:any", False),
        ({"model": "gguf:A/B/c.gguf", "host": "http://gpu.example:11434"}, "qwen3:8b", False),
        ({"model": "openai:mine", "host": "https://llm.example/v1"}, "openai:other", True),
        ({"model": "openai:mine"}, "openai:gpt-oss:120b-CLOUD", False),
        ({"model": "openai:mine"}, "gguf:A/B/c.gguf", False),
        ({"model": "recorded:mine.json"}, "recorded:theirs.json", False),
    ],
)
def test_a_project_moves_the_prompts_nowhere_unasked(home, project, own, model, counts):
    (home / "settings.json").write_text(json.dumps({"llm": own or {}}))
    write(project, {"llm": {"model": model, "warm": False}})
    settings, notices, _ = load_settings(project, {})
    assert (settings.llm.model == model) is counts
    assert ("do not count: llm.model" in "".join(notices)) is not counts
    assert ("sets: llm.model is" in "".join(notices)) is (
        counts and (own or {}).get("model") != model
    )
    assert not settings.llm.warm
    user = User()
    assert load_settings(project, {}, confirm=user).settings.llm.model == model
    assert [asked.title for asked in user.asked] == ["Trust .ipuaro.json: llm.model"][counts:]


def test_tightening_needs_no_question(project):
    write(project, TIGHT)
    user = User()
    settings, notices, _ = load_settings(project, {}, confirm=user)
    assert (settings.approve, settings.undo.stack_size) == ("never", 3)
    assert (user.asked, notices) == ([], ())


@pytest.mark.parametrize("answer", [False, 1, "yes", Decision(action="reject")])
def test_anything_but_yes_trusts_nothing(project, answer):
    write(project, LOOSE)
    user = User(answer)
    settings, notices, _ = load_settings(project, {}, confirm=user)
    assert settings.approve == "ask"
    assert len(notices) == 1
    assert load_settings(project, {}).settings.approve == "ask"


def test_another_project_with_the_same_content_is_not_trusted(project, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    for folder in (project, other):
        write(folder, LOOSE)
    load_settings(project, {}, confirm=User())
    assert load_settings(other, {}).settings.approve == "ask"


def test_wrong_settings_are_an_error_before_any_question(project):
    write(project, {**LOOSE, "approv": "all"})
    user = User()
    with pytest.raises(SettingsError, match="approv"):
        load_settings(project, {}, confirm=user)
    assert user.asked == []


def test_flags_and_the_users_own_file_need_no_trust(project, home):
    (home / "settings.json").write_text(json.dumps({"approve": "edits"}))
    user = User()
    write(project, {"approve": "edits"})
    settings, notices, _ = load_settings(project, {"redis": {"url": "redis://mine"}}, confirm=user)
    assert (settings.approve, settings.redis.url) == ("edits", "redis://mine")
    assert (user.asked, notices) == ([], ())


def test_approval_that_cannot_be_written_down_is_said(project, home):
    (home / "trusted").write_text("a file where the folder should be")
    write(project, {"approve": "all"})
    with pytest.raises(SettingsError, match="trusted"):
        load_settings(project, {}, confirm=User())


def test_start_asks_and_logs_and_headless_is_told(project, open_assistant):
    write(project, {"approve": "edits"})
    alone = open_assistant(project, [])
    assert alone.settings.approve == "ask"
    assert "not approved" in str(alone.status())
    alone.close()
    user = User()
    assistant = open_assistant(project, [], confirm=user)
    assert assistant.settings.approve == "edits"
    (logged,) = [one for one in assistant.decisions() if one.decision.by == "user"]
    assert logged.proposal.kind == "settings"
    assert '"approve": "edits"' in logged.shown
    assert assistant.call("create_file", {"path": "a.ts", "content": "1\n"}).success
    assert len(user.asked) == 1
    edited = {"path": ".ipuaro.json", "start": 1, "end": 1, "content": '{"approve": "all"}'}
    user.answer = False
    result = assistant.call("edit_lines", edited)
    assert result.error.type == "cancelled"
    assert user.asked[1].path == ".ipuaro.json"


SERVER = {"command": "theirs", "env": {"A": "1"}}


def test_servers_that_came_with_a_project_are_not_started_unless_approved(project):
    write(project, {"mcpServers": {"theirs": SERVER}})
    user = User(Decision(action="reject"))
    settings = load_settings(project, {}, confirm=user).settings
    assert settings.mcp_servers == {}
    (asked,) = user.asked
    assert asked.title.endswith("mcpServers")
    assert '"theirs"' in asked.message
    approved = load_settings(project, {}, confirm=User()).settings
    assert approved.mcp_servers["theirs"].command == "theirs"


def test_a_project_may_switch_a_server_off_unasked(project, home):
    (home / "settings.json").write_text(json.dumps({"mcpServers": {"mine": SERVER}}))
    write(project, {"mcpServers": {"mine": {"disabled": True}}})
    user = User()
    settings = load_settings(project, {}, confirm=user).settings
    assert settings.mcp_servers["mine"].disabled
    assert user.asked == []


def test_a_server_is_replaced_as_a_whole_and_never_gets_anothers_variables(project, home):
    mine = {"command": "mine", "env": {"TOKEN": "private"}}
    (home / "settings.json").write_text(json.dumps({"mcpServers": {"one": mine, "two": mine}}))
    write(project, {"mcpServers": {"one": {"command": "theirs"}}})
    servers = load_settings(project, {}, confirm=User()).settings.mcp_servers
    assert (servers["one"].command, servers["one"].env) == ("theirs", {})
    assert servers["two"].env == {"TOKEN": "private"}


def test_a_wrong_server_is_an_error_that_shows_no_secrets(project):
    wrong = {"args": ["x"], "env": {"TOKEN": "private"}}
    with pytest.raises(SettingsError, match=r"mcpServers\.one") as caught:
        load_settings(project, {"mcpServers": {"one": wrong}})
    assert "private" not in str(caught.value)
    with pytest.raises(SettingsError, match=r"'mcpServers\.one\.comand' is unknown. Did you mean"):
        load_settings(project, {"mcpServers": {"one": {"comand": "x"}}})


def test_a_project_does_not_show_the_model_secrets_unasked(project):
    write(project, {"context": {"redact": False, "maxRounds": 5}})
    settings, notices, _ = load_settings(project, {})
    assert settings.context.redact
    assert settings.context.max_rounds == 5
    assert "context.redact" in notices[0]
    user = User()
    assert not load_settings(project, {}, confirm=user).settings.context.redact
    assert "context.redact" in user.asked[0].title


def test_what_costs_far_more_than_yours_needs_approval(home, project):
    (home / "settings.json").write_text('{"llm": {"contextWindow": 8192}}')
    costly = {
        "llm": {"contextWindow": 40_000, "temperature": 0.5},
        "project": {"workers": 127},
        "context": {"maxRounds": 100_000, "turnTimeoutS": 1e9, "replyTokens": 512},
    }
    write(project, costly)
    settings, notices, sources = load_settings(project, {})
    assert settings.llm.context_window == 8192
    assert settings.project.workers is None
    assert (settings.context.max_rounds, settings.context.turn_timeout_s) == (30, 3600)
    assert (settings.llm.temperature, settings.context.reply_tokens) == (0.5, 512)
    assert sources["llm.contextWindow"].endswith("settings.json")
    (told,) = notices
    for key in ("llm.contextWindow", "project.workers", "context.maxRounds", "turnTimeoutS"):
        assert key in told
    user = User()
    approved = load_settings(project, {}, confirm=user).settings
    assert (approved.llm.context_window, approved.project.workers) == (40_000, 127)
    assert "llm.contextWindow is 40,000 tokens" in user.asked[0].reason
    assert "(yours: 8,192)" in user.asked[0].reason
    assert '"project.workers": 127' in user.asked[0].message


def test_what_costs_a_little_more_than_yours_is_told(project):
    write(project, {"llm": {"contextWindow": 131_072}, "project": {"workers": 1}})
    settings, notices, _ = load_settings(project, {})
    assert settings.llm.context_window == 131_072
    assert settings.project.workers == 1
    (told,) = notices
    assert "llm.contextWindow is 131,072 tokens" in told
    assert "workers" not in told


UNSET = object()


def setting(key, value):
    """Settings that hold a value for a dotted key, or none."""
    room, _, name = key.partition(".")
    return {} if value is UNSET else {room: {name: value}}


@pytest.mark.parametrize(
    ("key", "own", "value"),
    [
        ("context.maxRepairs", 0, 1),
        ("context.guideTokens", 0, 1500),
        ("project.inlineBytes", 0, 9),
        ("context.systemPromptTokens", UNSET, 100_000),
        ("context.systemPromptTokens", 512, None),
        ("llm.keepAlive", UNSET, "-1"),
        ("llm.keepAlive", UNSET, "-1m"),
        ("llm.keepAlive", UNSET, "24h"),
        ("llm.keepAlive", UNSET, "7201"),
        ("llm.keepAlive", UNSET, "for long"),
        ("llm.keepAlive", None, "21m"),
        ("llm.connectTimeout", UNSET, 60_000),
        ("llm.warm", False, True),
        ("context.autoCompressAt", UNSET, 0.01),
        ("context.maxContextUsage", UNSET, 0.1),
        ("watchdog.pollMs", UNSET, 10),
    ],
)
def test_more_than_four_times_yours_needs_approval_also_of_none(home, project, key, own, value):
    (home / "settings.json").write_text(json.dumps(setting(key, own)))
    write(project, setting(key, value))
    (told,) = load_settings(project, {}).notices
    assert f"do not count: {key}" in told


@pytest.mark.parametrize(
    ("values", "phrase"),
    [
        ({"context": {"systemPromptTokens": 4000}}, "systemPromptTokens is 4,000 tokens before"),
        ({"llm": {"keepAlive": "1h30m"}}, "llm.keepAlive is '1h30m' for the model in memory"),
        ({"llm": {"think": "high"}}, "llm.think is 'high' (yours: None)"),
        ({"context": {"resultShare": 0.3}}, "context.resultShare is 0.3 of the window"),
        (
            {"context": {"autoCompressAt": 0.4}},
            "autoCompressAt is 0.4 of the window until the model",
        ),
        ({"context": {"autoCompressAt": 0.9}}, ""),
        ({"llm": {"keepAlive": "10m"}}, ""),
        ({"llm": {"keepAlive": None}}, ""),
        ({"llm": {"warm": False}}, ""),
    ],
)
def test_what_costs_more_is_told_and_what_costs_less_is_not(project, values, phrase):
    write(project, values)
    assert phrase in (told := "".join(load_settings(project, {}).notices))
    assert bool(told) is bool(phrase)


@pytest.mark.parametrize(
    ("llm", "warm"),
    [
        ({"model": "qwen3:8b"}, False),
        ({"model": "qwen3:8b", "warm": True}, False),
        ({"contextWindow": 65_536}, False),
        ({"keepAlive": "1h"}, False),
        ({"contextWindow": 4096}, True),
        ({"temperature": 0.5}, True),
    ],
)
def test_no_other_model_is_loaded_before_it_is_told(project, llm, warm):
    write(project, {"llm": llm})
    assert load_settings(project, {}).settings.llm.warm is warm
    assert load_settings(project, {"llm": {"warm": True}}).settings.llm.warm
    write(project, {"llm": {**llm, "host": "http://elsewhere.example"}})
    assert load_settings(project, {}, confirm=User()).settings.llm.warm


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({"llm": {"contextWindow": 10**8}}, "llm.contextWindow"),
        ({"project": {"workers": 1000}}, "project.workers"),
    ],
)
def test_what_no_machine_has_is_an_error(project, values, key):
    write(project, values)
    with pytest.raises(SettingsError, match=key):
        load_settings(project, {})


@pytest.mark.parametrize(
    ("own", "wished", "counts"),
    [
        (None, "off", "auto"),
        (None, "required", "required"),
        ("off", "auto", "auto"),
        ("off", "required", "required"),
        ("required", "auto", "required"),
        ("required", "off", "required"),
    ],
)
def test_project_only_tightens_the_sandbox(home, project, own, wished, counts):
    """Not even approved settings of a project loosen it."""
    if own:
        (home / "settings.json").write_text(json.dumps({"commands": {"sandbox": own}}))
    write(project, {"commands": {"sandbox": wished}})
    user = User()
    loaded = load_settings(project, {}, confirm=user)
    assert loaded.settings.commands.sandbox == counts
    assert user.asked == []
    told = " ".join(loaded.notices)
    assert ("only your own settings can loosen it" in told) == (counts != wished)


def test_looser_sandbox_does_not_come_with_what_is_approved(project):
    write(project, {"commands": {"sandbox": "off", "passEnvironment": ["MY_TOKEN"]}})
    loaded = load_settings(project, {}, confirm=User())
    assert loaded.settings.commands.sandbox == "auto"
    assert loaded.settings.commands.pass_environment == ("MY_TOKEN",)
    again = load_settings(project, {}, confirm=User())
    assert again.settings.commands.sandbox == "auto"


def test_stricter_sandbox_counts_beside_what_is_not_approved(project):
    write(project, {"commands": {"sandbox": "required", "passEnvironment": ["MY_TOKEN"]}})
    loaded = load_settings(project, {})
    assert loaded.settings.commands.sandbox == "required"
    assert loaded.settings.commands.pass_environment == ()
