import pytest

from ipuaro_jupyter.agent.context.summary import (
    kept_instructions,
    standing_instructions,
)


@pytest.mark.parametrize(
    "wish",
    [
        "Do not touch the public API.",
        "don't add dependencies",
        "Never edit generated files.",
        "Always run the tests first!",
        "Use only the standard library.",
        "The names must stay as they are.",
        "From now on answer in German.",
        "Keep the file's style.",
        "Leave src/legacy.ts as it is.",
        "Ändere niemals die Schnittstelle.",
        "Ne modifie jamais l'interface.",
        "No uses bibliotecas externas.",
        "Не меняй публичный интерфейс.",  # noqa: RUF001 - Russian
        "不要修改公共接口。",
        "テストは必ず、常に実行してください。",
        "공개 인터페이스는 절대 바꾸지 마세요.",
    ],
)
def test_a_standing_wish_is_found_as_it_is_written(wish):
    assert wish in standing_instructions(f"Fix the login.\n- {wish}\nThanks")


@pytest.mark.parametrize(
    "text",
    [
        "How does the login work?",
        "Must I restart the server?",
        "Fix the login.",
        "```\nnever(); only();\n```",
        "commonly used, solely lonely",
    ],
)
def test_questions_code_and_plain_requests_are_none(text):
    assert standing_instructions(text) == ()


def test_the_newest_wishes_are_kept_once_and_in_their_order():
    said = ["Never use eval.", "Only tabs. Never use eval.", "Always answer in French."]
    assert kept_instructions(said, 100) == [
        "Never use eval.",
        "Only tabs.",
        "Always answer in French.",
    ]
    assert kept_instructions(said, 12) == ["Always answer in French."]
