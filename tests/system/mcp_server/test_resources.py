"""``ipuaro mcp``: the resources and prompts that it offers."""

import pytest
from clients import FILES, MODES, run, served
from mcp import MCPError


def asked(root, ask, **options):
    async def talk():
        async with served(root, **options) as client:
            return await ask(client)

    return run(talk())


def read(root, uri):
    (content,) = asked(root, lambda client: client.read_resource(uri)).contents
    return content.text


@pytest.mark.parametrize("mode", MODES)
def test_the_map_and_the_files_are_listed(root, mode):
    found = asked(root, lambda client: client.list_resources(), mode=mode)
    assert [one.uri for one in found.resources] == ["ipuaro://map"] + [
        f"ipuaro://file/{path}" for path in sorted(FILES)
    ]
    assert found.next_cursor is None
    templates = asked(root, lambda client: client.list_resource_templates(), mode=mode)
    assert [one.uri_template for one in templates.resource_templates] == [
        "ipuaro://file/{+path}",
        "ipuaro://symbol/{name}",
    ]


def test_long_lists_come_in_pages(make_project):
    root = make_project({f"f{n:03}.ts": "" for n in range(450)})

    async def pages(client):
        sizes, cursor = [], None
        while True:
            page = await client.list_resources(cursor=cursor)
            sizes.append(len(page.resources))
            cursor = page.next_cursor
            if cursor is None:
                return sizes

    assert asked(root, pages) == [201, 200, 50]


def test_a_file_a_declaration_and_the_map_can_be_read(root):
    assert "export function login()" in read(root, "ipuaro://file/a.ts")
    assert "a.ts:1" in read(root, "ipuaro://symbol/login").replace(", line ", ":")
    assert "a.ts" in read(root, "ipuaro://map")


def test_secrets_are_hidden_in_a_resource(make_project):
    root = make_project({"app/.env": "DB_PASSWORD=hunter2hunter2\n"})
    text = read(root, "ipuaro://file/app/.env")
    assert "hunter2" not in text
    assert "[redacted:" in text


@pytest.mark.parametrize(
    "uri", ["ipuaro://file/../x", "ipuaro://file/none.ts", "ipuaro://other", "file:///etc/passwd"]
)
def test_what_is_not_there_or_outside_is_refused(root, uri):
    async def refused(client):
        with pytest.raises(MCPError):
            await client.read_resource(uri)

    asked(root, refused)


def test_prompts_hold_what_they_are_about(root):
    async def talk(client):
        listed = await client.list_prompts()
        said = await client.get_prompt("impact", {"what": "login"})
        return [one.name for one in listed.prompts], said.messages[0].content.text

    names, text = asked(root, talk)
    assert names == ["explain", "impact", "review"]
    assert text.startswith("What breaks if login changes?")


@pytest.mark.parametrize(("name", "arguments"), [("impact", {}), ("none", {})])
def test_a_wrong_prompt_is_refused(root, name, arguments):
    async def refused(client):
        with pytest.raises(MCPError, match=r"needs|no prompt"):
            await client.get_prompt(name, arguments)

    asked(root, refused)
