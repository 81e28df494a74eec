import time

import pytest

from ipuaro_jupyter.views.prose import markdown


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


def test_a_fence_names_its_language_if_that_is_a_name():
    assert '<code class="language-c++">' in markdown.html("```C++ x\na\n```")
    assert "<code>" in markdown.html('```a"b\na\n```')


def test_tasks_are_signs_that_say_what_they_mean():
    html = markdown.html("- [ ] *a*\n- [x] b\n- [y] c\n\n1. [X] d\n\n[x] e")
    assert '<span role="img" aria-label="open">\u2610</span> <em>a</em>' in html
    assert html.count('<span role="img" aria-label="done">\u2611</span>') == 2
    assert "[y] c" in html
    assert "[x] e" in html
    assert "<input" not in html


@pytest.mark.parametrize(
    "text",
    ["$$x^2$$", "$$\nx^2\n$$", "as in\n$$x^2$$\nhere", "- a\n\n  $$\n  x^2\n  $$", "> $$ x^2 $$"],
)
def test_a_formula_is_text_that_is_left_to_mathjax(text):
    formula = '<div class="ipuaro-formula mathjax_process tex2jax_process">$$x^2$$</div>'
    assert formula in markdown.html(text)


@pytest.mark.parametrize(
    "text",
    [
        *("$$x", "$$\nx\n\ny\n$$", "`$$x$$`", "    $$x$$", "$5 and $10", "$$", "$$$$", "- $$\nx$$"),
        *(r"\(x", r"`\(x\)`", r"\( \)", "\\[x\n\n\\]", r"\\(x\\)", r"in $$ and `$$`", r"\(`x`\)"),
        *(r"list\[str\], see \[1\]", r"app/\[id\]/page.tsx", r"\(see below\)", r"f\(x = 1\)"),
        "Makefile has $$HOME and $$PATH",
    ],
)
def test_what_does_not_end_or_is_code_is_no_formula(text):
    assert "ipuaro-formula" not in markdown.html(text)


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        (r"so \(x_1 * y_2\) is", r"\(x_1 * y_2\)"),
        (r"**\( x \)**", r"\(x\)"),
        ("a $$x^2$$ b", "$$x^2$$"),
        ("\\[\n\\sum_i x_i\n\\]", r"$$\sum_i x_i$$"),
        (r"- \[x < 1\]", "$$x &lt; 1$$"),
        (r"| a |" + "\n|---|\n" + r"| \(x\) |", r"\(x\)"),
    ],
)
def test_a_formula_in_a_line_is_left_to_mathjax_too(text, formula):
    element = f'<span class="ipuaro-formula mathjax_process tex2jax_process">{formula}</span>'
    assert element in markdown.html(text)


@pytest.mark.parametrize("text", [r"a \(\href{x}{y}\)", r"\[\def\x{\x}\]", r"a $$\style{x}{y}$$"])
def test_one_that_does_more_than_show_stays_text_there_too(text):
    html = markdown.html(text)
    assert '<span class="ipuaro-formula">' in html
    assert "mathjax_process" not in html


@pytest.mark.parametrize(
    "tex",
    [
        r"\href{javascript:alert(1)}{x}",
        r"\\\href{javascript:alert(1)}{x}",
        r"\text{\href{javascript:alert(1)}{x}}",
        r"\mmlToken{mi}[href='javascript:alert(1)']{x}",
        r"\def\x{\x\x}\x",
        r"\newcommand{\x}{y}",
        r"\style{position:fixed}{x}",
        r"\bbox[border:2px solid]{x}",
        r"\require{html}",
        r"\begin{evil}x\end{evil}",
        r"\begin x",
        "x" * 2001,
    ],
)
def test_a_formula_that_does_more_than_show_stays_text(tex):
    html = markdown.html(f"$$\n{tex}\n$$")
    assert '<div class="ipuaro-formula">$$' in html
    assert "mathjax_process" not in html


def test_beginnings_without_an_end_take_linear_time():
    def cost_s(count):
        began_s = time.process_time()
        markdown.html(r"\(" * count)
        return time.process_time() - began_s

    short_s = min(cost_s(4000) for _ in range(3))  # the quickest: others use the machine, too
    long_s = min(cost_s(40_000) for _ in range(3))
    assert long_s < 20 * max(short_s, 0.01)


def test_formulas_as_models_write_them_are_drawn():
    tex = r"\begin{cases} \frac{a}{b} & \text{if } x \le 1 \\ \sqrt{2},\; 1\% & \end{cases}"
    assert "mathjax_process" in markdown.html(f"$$\n{tex}\n$$")


GROWING = (
    "# A\n\nfirst\nline\n\n- one\n- two\n\n```ts\nlet a\n\nlet b\n```\n\n| a |\n|---|\n| 1 |\n\n"
    "so\n$$\nx\n$$\n\n- [ ] a\n- [x] b\n"
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
    assert GROWING[markdown.complete(GROWING) :].startswith("- [ ] a")
