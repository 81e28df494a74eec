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
    assert found.known == 0


def test_an_empty_project_has_nothing(make_index):
    found = make_index({})[0].ranked(asked("Where is it?"))
    assert (found.files, found.symbols) == ((), ())
