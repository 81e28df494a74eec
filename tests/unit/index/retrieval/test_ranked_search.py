"""Files and declarations are ranked by the words of a question, as the files are now."""

import pytest

from ipuaro_jupyter.index.retrieval.asked import asked

FILES = {
    "src/retry.ts": (
        "/** Waits before a request is sent again. */\n"
        "export function delayOf(attempt: number) {\n  return backoff(attempt)\n}\n"
        "function backoff(attempt: number) {\n  return 2 ** attempt * 100\n}\n"
    ),
    "src/client.ts": (
        "import { delayOf } from './retry'\n"
        "export class Client {\n  send(url: string) { return fetch(url) }\n"
        "  close() { return this.send('bye') }\n}\n"
    ),
    "src/log.py": "def write_line(text):\n    '''Write to the journal.'''\n    print(text)\n",
    "tests/retry.test.ts": "export function delayOf() { return 'delay delay delay backoff' }\n",
    "README.md": "# Retry\n",
}


@pytest.fixture
def made(make_index):
    return make_index(FILES)


def names(index, question):
    return [(s.path, s.declared.qualified) for s in index.ranked(asked(question)).symbols]


def test_the_words_of_a_declaration_and_its_comments_rank_it(made):
    index, _ = made
    assert names(index, "Who writes to the journal?")[0] == ("src/log.py", "write_line")
    assert names(index, "How is a client closed?")[0] == ("src/client.ts", "Client.close")


def test_what_the_best_declaration_calls_is_found(made):
    index, _ = made
    assert ("src/retry.ts", "backoff") in names(index, "What does delayOf return?")[:3]


def test_tests_come_last_unless_they_are_asked_for(made):
    index, _ = made
    found = [file.path for file in index.ranked(asked("How long is the delay?")).files]
    assert found[0] == "src/retry.ts"
    found = [file.path for file in index.ranked(asked("Which test has the delay?")).files]
    assert found[0] == "tests/retry.test.ts"


def test_a_file_that_is_named_comes_first(made):
    index, _ = made
    assert index.ranked(asked("What is wrong in src/log.py?")).files[0].path == "src/log.py"
    assert index.ranked(asked("Fix the retry")).files[0].path == "src/retry.ts"


def test_a_path_precedes_the_files_with_the_words(make_index):
    files = {f"{n}.py": "retry = 'imports retry, retry imports'\n" for n in range(4)}
    index, _ = make_index(files | {"app/retry.py": "x = 1\n"})
    found = index.ranked(asked("What imports app/retry.py?"))
    assert found.files[0].path == "app/retry.py"
    assert found.named == {"app/retry.py"}


def test_edits_are_seen_at_once(made, change_disk):
    index, root = made
    change_disk(root, "src/log.py", "def archive_parcel():\n    return 1\n")
    assert names(index, "archive a parcel")[0] == ("src/log.py", "archive_parcel")
    found = index.ranked(asked("Who writes to the journal?"))
    assert all(symbol.score == 0 for symbol in found.symbols if symbol.path == "src/log.py")


def test_unknown_words_still_name_the_files_that_others_import(made):
    index, _ = made
    found = index.ranked(asked("Wie wird das gemacht?"))
    assert found.files[0].path == "src/retry.ts"
    assert not found.is_sure


@pytest.mark.parametrize("question", ["", " \n", "?!", "Where is it?"])
def test_a_question_that_says_nothing_finds_nothing(made, question):
    found = made[0].ranked(asked(question))
    assert (found.files, found.symbols, found.is_sure) == ((), (), False)


@pytest.mark.parametrize(
    "question",
    [
        "What would be affected, what breaks, if I change or rename affect_rows?",
        "Who calls `affect_rows` and changes it?",
        "Wer benutzt affect_rows?",
    ],
)
def test_a_declaration_named_in_full_precedes_the_words_of_the_question(make_index, question):
    verbs = "def change_{0}():\n    'change, rename: what breaks, who calls it, is affected'\n"
    files = {f"{n}.py": verbs.format(n) for n in range(5)} | {
        "rows.py": "def affect_rows():\n    return 1\n"
    }
    found = make_index(files)[0].ranked(asked(question))
    assert found.symbols[0].declared.name == "affect_rows"
    assert found.files[0].path == "rows.py"


def test_words_with_accents_are_found(make_index):
    code = "def pr\u00fcfen(a):\n    'Die Gr\u00f6\u00dfe des F\u00e4sschens'\n"
    index, _ = make_index({"a.py": code, "b.py": "x = 1\n"})
    assert names(index, "Wie gro\u00df ist die Gr\u00f6\u00dfe?")[0] == ("a.py", "pr\u00fcfen")
    assert names(index, "F\u00c4SSCHENS")[0] == ("a.py", "pr\u00fcfen")


def test_words_of_structure_count_where_nothing_is_named(made, change_disk):
    index, root = made
    change_disk(root, "src/log.py", "def change_colour():\n    return 1\n")
    assert names(index, "Where does it change?")[0] == ("src/log.py", "change_colour")


def test_declarations_of_tests_are_demoted_too(make_index):
    files = {
        "src/store.py": "def save(item):\n    return item\n\n" + "x = 1\n" * 40,
        "tests/test_store.py": "def save_item_in_store(item):\n    'save an item in the store'\n",
        "vendor/store.py": "def save_item(item):\n    'save an item in the store'\n",
    }
    index, _ = make_index(files)
    assert names(index, "How is an item saved?")[0] == ("src/store.py", "save")
    assert names(index, "Which tests save an item?")[0][0] == "tests/test_store.py"


def test_declarations_beside_the_code_that_they_describe_count_less(make_index):
    files = {"lib/retry.d.ts": "export declare function waits(n: number): void; // how long\n"}
    code = "export function waits(retry) {\n  return 300 * retry;\n}\n"
    question = asked("How long does a retry wait?")
    scores = []
    for path in ("lib/retry.js", "lib/other.js"):
        index, _ = make_index(files | {path: code})
        scores += [one.score for one in index.ranked(question).symbols if one.path in files]
    assert 0 < scores[0] < scores[1]


def test_what_only_tests_declare_comes_first_where_it_is_named(make_index):
    helper = "class Helpers:\n    def check_same_shape(self, array):\n        return array.shape\n"
    other = (
        "def shape_of(array):\n    # Check that the array has the same shape.\n    return array\n"
    )
    index, _ = make_index({"tests/test_array.py": helper, "src/array.py": other})
    found = names(index, "What does check_same_shape do with an array?")
    assert found[0] == ("tests/test_array.py", "Helpers.check_same_shape")
    assert names(index, "How is the shape checked?")[0] == ("src/array.py", "shape_of")


def test_overloads_are_one_declaration(make_index):
    text = "export function pick(at: {0}): {0}\n"
    body = "export function pick(at: unknown) {\n  return at\n}\n"
    code = text.format("string") + text.format("number") + body
    index, _ = make_index({"pick.ts": code + "export function other() {}\n"})
    found = index.ranked(asked("What does pick do?")).symbols
    assert [(s.declared.line, s.declared.end) for s in found if s.declared.name == "pick"] == [
        (1, 5)
    ]


def test_it_is_sure_of_what_is_in_the_code_or_named(made):
    index, _ = made
    assert index.ranked(asked("How long is the backoff of an attempt?")).is_sure
    assert index.ranked(asked("Wo wird delayOf genutzt?")).is_sure
    assert not index.ranked(asked("How does the request reach the blockchain consensus?")).is_sure


def test_files_that_a_question_names_are_known(made):
    index, _ = made
    named = index.named(asked("Does `delayOf` differ from src/log.py?"))
    assert sorted(named) == ["src/log.py", "src/retry.ts"]
    assert index.named(asked("How does it work?")) == []


def test_an_empty_project_has_nothing(make_index):
    found = make_index({})[0].ranked(asked("Where is it?"))
    assert (found.files, found.symbols) == ((), ())
