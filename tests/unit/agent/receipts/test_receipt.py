"""What of an answer's claims is marked, and what is left alone."""

import time

import pytest

from ipuaro_jupyter.agent.receipts.receipt import receipt_of

FILES = {
    "package.json": '{"name": "quay", "dependencies": {"tidewater": "1"}, "scripts": {"x": "y"}}',
    "src/auth/login.ts": "\n".join(
        (
            'import { Session, SessionStore } from "./session"  // and "./made"',
            "export class Login extends Base {",
            "  open(name: string) {",
            "    return new SessionStore().make(name)",
            "  }",
            "}",
            *("" for _ in range(20)),
            "export function checkPassword(given: string) {",
            "  return given.length > 3",
            "}",
        )
    ),
    "src/auth/session.ts": (
        "export interface Session { name: string }\n"
        "export class SessionStore {\n"
        '  kind = "event_of_sessions"\n'
        "  make(name: string): Session {\n"
        "    return { name }\n"
        "  }\n"
        "}\n"
        "export class Kept extends SessionStore {\n"
        "  forget() {}\n"
        "}\n"
        "export enum Level { Low, High }\n"
        "export class Foreign extends Elsewhere {}\n"
    ),
    "src/config.go": "package main\nfunc tideTable() {}\n",
}


@pytest.fixture(scope="module")
def project(opened):
    return opened("quay", FILES)


@pytest.fixture
def marks(project):
    """Return a function from an answer to {named: mark}."""

    def check(answer, **about):
        receipt = receipt_of(answer, project.index, project.workspace, **about)
        return {mark.named: mark.word for mark in receipt.marks}

    return check


@pytest.mark.parametrize(
    ("answer", "named", "word"),
    [
        ("See `src/auth/sesion.ts`.", "src/auth/sesion.ts", "no such file"),
        ("See auth/logout.ts.", "auth/logout.ts", "no such file"),
        ("The folder `src/ui/` has it.", "src/ui/", "no such folder"),
        ("It is in `src/auth/forms/fields`.", "src/auth/forms/fields", "no such folder"),
        ("See `src/auth/login.ts:90`.", "src/auth/login.ts:90", "no such lines"),
        ("See lines 5 to 99 of src/auth/login.ts.", "src/auth/login.ts:5-99", "no such lines"),
        (
            "`checkPassword` (src/auth/login.ts:3) compares.",
            "checkPassword in src/auth/login.ts:3",
            "not there",
        ),
        (
            "`checkPassword` is declared in `src/auth/session.ts`.",
            "checkPassword in src/auth/session.ts",
            "not there",
        ),
        ("`chekPassword` compares.", "chekPassword", "not in the code"),
        ("`Login` calls `verifyTokenHash()`.", "verifyTokenHash", "not in the code"),
        ("`SessionStore.purge()` empties it.", "SessionStore.purge", "no such member"),
        ("`SessionStore.checkPassword` compares.", "SessionStore.checkPassword", "no such member"),
        ("`Level.Medium` is the default.", "Level.Medium", "no such member"),
        ("The **`src/auth/logn.ts`** has it.", "src/auth/logn.ts", "no such file"),
        ("It is `sessoin.ts`.", "sessoin.ts", "no such file"),
        ("`Login` is at the top of `quay_test.ts`.", "quay_test.ts", "no such file"),
        ("- `main.ts:3`: begins\n- `login.ts`: enters", "main.ts:3", "no such file"),
    ],
)
def test_what_is_not_in_the_code_is_marked(marks, answer, named, word):
    assert marks(answer) == {named: word}


@pytest.mark.parametrize(
    "answer",
    [
        "`Login.open` (src/auth/login.ts:3) calls `SessionStore.make`.",
        "`checkPassword` (src/auth/login.ts:25) compares.",  # the lines above a declaration
        "Add a `resetPassword` function in `src/auth/reset.ts`.",
        "You could create `src/auth/reset.ts`.",
        "I suggest these files:\n\n- `src/auth/reset.ts`\n- `src/auth/mail.ts`",
        "There is no `resetPassword`, and `src/auth/reset.ts` does not exist.",
        "`Login` has no `resetPassword`.",
        "`useEffect`, `Object.fromEntries()`, `setTimeout` and `str.removeprefix` are known.",
        "`debounceTime` is a function of a library.",
        "`Login` waits for `nextHighTide` of tidewater.",  # it depends on that
        "`event_of_sessions` is sent by `SessionStore`.",  # a text in the code
        "`tideTable` draws it, says `Login`.",  # in a file that is not parsed
        "`Login.remember` and `Foreign.anything` come from elsewhere.",  # bases from elsewhere
        "`SessionStore.forget` is there for `Kept`.",  # of a class that extends it
        "`SessionStore.toString()` and `SessionStore.prototype`.",
        "`session.purge()` and `a.b.purgeAll()` are of variables.",
        "`dist/auth/reset.js` and `node_modules/x/index.js` are made.",
        "`path/to/reset.ts`, `src/a.ts`, `@src/auth/reset.ts`, `.ts` and `AGENTS.md`.",
        "See docs.example.org/auth/reset.html or https://example.org/src/auth/reset.ts.",
        "`elsewhere/reset.ts` is of another project.",
        "The entry is `main.ts`.",  # perhaps: nothing else is of the project
        "`Login` is in `session.js` once it is built, and main.ts is a word.",
        "`Login` needs `vite.config.ts`, `index.ts`, `package.json`, `env.d.ts` or `README.md`.",
        "`Login` is not in `quay_test.ts`.",
        "For `Login`, create `quay_test.ts`.",
        "Save a test of `Login` as `quay_test.ts`.",
        "`Login` is used by `quay_test.ts` of tidewater.",
        "`Login` uses the library's `quay_test.ts`.",
        "`Login` uses `made.ts` and `quay_test.py`.",  # imported; not of this project's languages
        "`src/auth/session` is the module, and `api/users` a route.",
        "and/or, client/server, e.g. Foo.bar, `true`, `NODE_ENV`, `LONG_NAME_OF_ENV`",
        "`Finished` and `handler` are words.",
        "```ts\nexport function resetPassword() {}\n```\n`Login` gets `resetPassword`.",
    ],
)
def test_what_is_no_claim_or_true_is_left_alone(marks, answer):
    assert marks(answer) == {}


def test_what_the_model_was_given_is_not_made_up(marks):
    answer = "`Login` fails with `tide_error_code` in `src/auth/tide.ts`, see `wave.ts`."
    assert len(marks(answer)) == 3
    assert marks(answer, given=["tide_error_code at src/auth/tide.ts:3", "wave.ts"]) == {}


def test_a_file_that_the_turn_has_deleted_is_not_made_up(marks):
    answer = "`Login` was in `wave.ts`."
    assert marks(answer) == {"wave.ts": "no such file"}
    assert marks(answer, changed=["src/wave.ts"]) == {}


def test_what_the_user_asked_for_is_not_there_yet(marks):
    answer = "`Login` gets its `resetPassword`."
    assert marks(answer) == {"resetPassword": "not in the code"}
    assert marks(answer, wanted="Write resetPassword") == {}


def test_lines_of_a_file_that_the_turn_has_changed_are_not_compared(marks):
    answer = "It was at src/auth/login.ts:80.\n\n`Level` is in src/auth/login.ts."
    assert len(marks(answer)) == 2
    assert marks(answer, changed=["src/auth/login.ts"]) == {}


@pytest.mark.parametrize(
    ("answer", "places"),
    [
        ("See `src/auth/logn.ts`| now.", 1),
        ("So chekPassword() and `chekPassword(a, b)`| compare.", 1),
        ("So `chekPassword`(given)| compares.", 1),
        ("See [the login](src/auth/logn.ts)| now.", 1),
        ("See [src/auth/logn.ts](src/auth/logn.ts:3)| now.", 2),
        ("**`src/auth/logn.ts`|**: it.", 1),
        ("It is in src/auth/logn.ts line 3|, there.", 1),
    ],
)
def test_the_mark_stands_behind_the_name(project, answer, places):
    plain = answer.replace("|", "")
    receipt = receipt_of(plain, project.index, project.workspace)
    expected = [at - n for n, at in enumerate(i for i, c in enumerate(answer) if c == "|")]
    assert len(receipt.marks) == places
    assert sorted({mark.at for mark in receipt.marks}) == expected


def test_what_held_and_the_lines_are_kept(project):
    answer = "`Login` (src/auth/login.ts:2), src/auth/session.ts:1-2, `src/auth/sesion.ts:1`"
    receipt = receipt_of(answer, project.index, project.workspace, unseen="not looked at: x")
    assert receipt.held == (
        "src/auth/login.ts:2",
        "src/auth/session.ts:1-2",
        "Login in src/auth/login.ts:2",
    )
    assert [(one.path, one.first, one.last) for one in receipt.cited] == [
        ("src/auth/login.ts", 2, 2),
        ("src/auth/session.ts", 1, 2),
    ]
    assert receipt.unseen == "not looked at: x"
    told = "src/auth/sesion.ts:1: there is no such file; closest: src/auth/session.ts"
    assert receipt.listed == (told,)


def test_an_index_that_may_lack_something_marks_nothing(project, monkeypatch):
    monkeypatch.setattr(type(project.index), "doubts", property(lambda _: ("The index lags.",)))
    receipt = receipt_of("See `src/auth/none.ts`, `Login`.", project.index, project.workspace)
    assert receipt.marks == ()


def test_the_links_of_an_answer_are_looked_for_once(project):
    def took(answer):
        started = time.process_time()
        assert receipt_of(answer, project.index, project.workspace).marks
        return time.process_time() - started

    brackets, named = "[" * 3000 + "\n", "See `src/auth/sesion.ts`.\n"
    took(named)
    apart = took(brackets + named) + took(named * 60)
    assert took(brackets + named * 60) < 4 * apart
