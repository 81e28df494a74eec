FILES = {"a.ts": "export function parseDate(text: string) { return new Date(text) }\n"}


def test_the_source_of_the_best_function_is_returned(run):
    result = run(FILES)("find_evidence", {"question": "Where is a date parsed?"})
    assert result.output.symbols[0].name == "parseDate"
    assert "1\texport function parseDate" in result.text()
    assert result.output.shape().rows[0][:2] == ("a.ts:1", "parseDate")


def test_it_says_when_little_is_known(run):
    text = run(FILES)("find_evidence", {"question": "Wo wird gespeichert?"}).text()
    assert text.startswith("[Little of the question is in the code.]")
