import pytest

from ipuaro_jupyter.views import markdown


def test_raw_html_comes_out_as_text():
    html = markdown.html("a <script>alert(1)</script> <img src=x onerror=y>\n\n<div>b</div>")
    assert "<script" not in html
    assert "<img" not in html
    assert "&lt;div&gt;" in html


def test_an_image_is_named_and_not_loaded():
    html = markdown.html("![a chart](http://example.org/x.png?secret)")
    assert "<img" not in html
    assert "a chart (<code>http://example.org/x.png?secret</code>)" in html


@pytest.mark.parametrize(
    "target",
    [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "vbscript:x",
        "data:text/html,x",
        "data:image/png;base64,x",
        "file:///etc/passwd",
        "vscode://file/x",
        "ms-msdt:/id",
        "ftp://example.org/x",
        "tel:1",
        "//evil.com",
    ],
)
def test_a_link_to_anything_but_the_web_mail_and_files_is_no_link(target):
    assert "<a" not in markdown.html(f"[x]({target})")
    assert "<a" not in markdown.html(f"<{target}>")


@pytest.mark.parametrize(
    "target",
    ["https://a.org", "HTTP://a.org", "mailto:a@b.org", "src/a.ts", "../a.ts:3", "#part", "/a"],
)
def test_other_links_are_links(target):
    assert f'<a href="{target}"' in markdown.html(f"[x]({target})")


def test_a_link_keeps_its_page_to_itself():
    html = markdown.html("[x](https://example.org)")
    assert '<a href="https://example.org" rel="noopener noreferrer">' in html


def test_code_in_fences_is_coloured_and_escaped():
    html = markdown.html("```ts\nconst a = '<b>';\n```")
    assert '<span class="ipuaro-k">const</span>' in html
    assert "&lt;b&gt;" in html


def test_a_fence_that_is_still_open_is_code_already():
    assert "<pre" in markdown.html("text\n\n```ts\nconst a")


def test_tables_have_headings_with_scope():
    assert '<th scope="col">a</th>' in markdown.html("|a|b|\n|-|-|\n|1|2|")


GROWING = (
    "# A\n\nfirst\nline\n\n- one\n- two\n\n```ts\nlet a\n\nlet b\n```\n\n| a |\n|---|\n| 1 |\n"
)


def test_what_is_complete_looks_the_same_whatever_follows():
    """Cut at every place: what is drawn for the last time is how it looks in the end."""
    whole = markdown.html(GROWING)
    for at in range(len(GROWING) + 1):
        done = markdown.complete(GROWING[:at])
        assert whole.startswith(markdown.html(GROWING[:done]))


def test_the_last_block_is_never_complete():
    assert markdown.complete("a paragraph that grows") == 0
    assert markdown.complete("```ts\nlet a\n\nlet b\n") == 0
    assert markdown.complete("") == 0
    assert GROWING[markdown.complete(GROWING) :].startswith("| a |")
