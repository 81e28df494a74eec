"""Which words of a question are mentions; that they name something is not asked here."""

import pytest

from ipuaro_jupyter.agent.context.question_mentions import question_mentions


def names(question):
    return [mention.text for mention in question_mentions(question)]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What does @src/a.ts do?", ["@src/a.ts"]),
        ("@src/a.ts", ["@src/a.ts"]),
        ("See (@src/a.ts), please", ["@src/a.ts"]),
        ("Compare @a.ts,@b.ts; then @c.ts.", ["@a.ts", "@b.ts", "@c.ts"]),
        ("Why @error?", ["@error"]),
        ("In @cell:3, and @diff: why?", ["@cell:3", "@diff"]),
        ("**@src/a.ts** and @UserService's methods", ["@src/a.ts", "@UserService"]),
        ('@"a b.ts" and @"c d.ts":3-4.', ['@"a b.ts"', '@"c d.ts":3-4']),
        ("@src/a.ts:10-20 and @src/a.ts#L3-L4", ["@src/a.ts:10-20", "@src/a.ts#L3-L4"]),
        ("请看@src/a.ts的错误", ["@src/a.ts"]),
        ("@src/説明.md", ["@src/説明.md"]),
        ("@src\\win\\a.ts", ["@src\\win\\a.ts"]),
        ("- @src/a.ts\n* @src/b.ts\n  * @src/c.ts", ["@src/a.ts", "@src/b.ts", "@src/c.ts"]),
        ("Compare src/* with @lib/a.ts", ["@lib/a.ts"]),
        ("@error\nWhy does foo() fail?", ["@error"]),
        ("@src\nlet me know", ["@src"]),
        ("@a.ts and @a.ts", ["@a.ts"]),
        ("Write to me@example.com or a+b@c.de", []),
        ("`@src/a.ts` and ``@b``", []),
        ("```\n@src/a.ts\n```\n~~~\n@b.ts", []),
        ("/**\n * @param x the @Foo\n */\nfunction", []),
        (" * @param x\n * @returns y", []),
        ("> * @src/a.ts", []),
        ("@dataclass\nclass A:\n    x: int", []),
        ("@app.route('/')\ndef index():\n    pass", []),
        ("https://x.org/@scope/a and git@github.com:a/b", []),
        ("npm i foo@latest, @ alone, @", []),
    ],
)
def test_a_mention_begins_a_word_outside_of_code(question, expected):
    assert names(question) == expected


@pytest.mark.parametrize("question", ["Use @Injectable() here", 'import x from "@theia/core"'])
def test_what_stands_like_code_is_one_only_if_it_names_something(question):
    (mention,) = question_mentions(question)
    assert mention.is_code


@pytest.mark.parametrize(
    ("question", "name", "first", "last"),
    [
        ("@a.ts:10-20", "a.ts", 10, 20),
        ("@a.ts:20-10", "a.ts", 10, 20),
        ("@a.ts:7", "a.ts", 7, 7),
        ("@a.ts:7:3", "a.ts", 7, 7),
        ("@a.ts#L3-L4", "a.ts", 3, 4),
        ('@"a b.ts":3', "a b.ts", 3, 3),
        ("@app/[id]/page.tsx:2.", "app/[id]/page.tsx", 2, 2),
    ],
)
def test_lines_follow_a_path(question, name, first, last):
    (mention,) = question_mentions(question)
    assert mention.readings[-1][1:] == (name, first, last)


def test_a_long_text_has_bounded_mentions():
    assert len(names(" ".join(f"@n{number}" for number in range(1000)))) == 60
    assert names("@" * 50_000) == []
    assert len(names("@" + "a/" * 50_000)) <= 1
