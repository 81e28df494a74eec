"""The message that a client's prompt is."""

import pytest
from acp.helpers import embedded_text_resource, image_block, resource_block, text_block
from acp.schema import ResourceContentBlock

from ipuaro_jupyter.acp.acp_prompt import message_of
from ipuaro_jupyter.errors import SettingsError


def link(uri):
    return ResourceContentBlock(type="resource_link", name="x", uri=uri)


def test_texts_are_put_together_as_they_are(tmp_path):
    assert message_of([text_block("a "), text_block("{b}\n")], tmp_path) == "a {b}\n"


@pytest.mark.parametrize(
    ("uri", "mention"),
    [
        ("src/a%20b.ts", '@"src/a b.ts" '),
        ("a.ts#L10-20", '@"a.ts":10-20 '),
        ("a.ts#L10:L20", '@"a.ts":10-20 '),
        ("a.ts#7", '@"a.ts":7 '),
        ("a.ts#top", '@"a.ts" '),
    ],
)
def test_a_file_of_the_project_is_a_mention(tmp_path, uri, mention):
    linked = link(f"{tmp_path.as_uri()}/{uri}")
    assert message_of([text_block("Why"), linked], tmp_path) == f"Why {mention}"


@pytest.mark.parametrize("uri", ["https://example.org/a", "file:///elsewhere/a.ts"])
def test_what_is_not_in_the_project_stays_an_address(tmp_path, uri):
    assert message_of([text_block("See "), link(uri)], tmp_path) == f"See {uri}"


def test_a_name_that_would_end_its_mention_stays_an_address(tmp_path):
    for name in ('a".ts', 'a" @diff "/b.ts', "a%0A%40diff.ts"):
        uri = f"{tmp_path.as_uri()}/{name}"
        assert message_of([link(uri)], tmp_path) == uri


def test_the_text_of_an_editor_is_left_out_for_what_is_on_the_disk(tmp_path):
    shown = resource_block(embedded_text_resource(f"{tmp_path.as_uri()}/.env", "KEY=sk-1234"))
    assert message_of([text_block("Why "), shown], tmp_path) == 'Why @".env" '


def test_a_text_from_elsewhere_is_refused(tmp_path):
    shown = resource_block(embedded_text_resource("file:///etc/passwd", "root"))
    with pytest.raises(SettingsError, match="no file of the project"):
        message_of([shown], tmp_path)


def test_a_path_that_leads_out_stays_an_address(tmp_path):
    uri = f"{tmp_path.as_uri()}/../../etc/passwd"
    assert message_of([link(uri)], tmp_path) == uri


@pytest.mark.parametrize(
    ("blocks", "told"),
    [
        ([], "nothing to ask"),
        ([text_block(" ")], "nothing to ask"),
        ([image_block("", "x")], "text"),
    ],
)
def test_what_cannot_be_asked_is_refused(tmp_path, blocks, told):
    with pytest.raises(SettingsError, match=told):
        message_of(blocks, tmp_path)
