"""Views: text and HTML say the same, everything is escaped, nothing runs and nothing is loaded."""

import html
import re
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import pytest

from ipuaro_jupyter.records.change import Change, Decision, Proposal
from ipuaro_jupyter.records.chat import Answer, CalledTool, ToolCall, Usage
from ipuaro_jupyter.records.checked_answers import CheckedAnswer, CheckedAnswers
from ipuaro_jupyter.records.evaluation import Evaluation, Finding
from ipuaro_jupyter.records.events import Noticed
from ipuaro_jupyter.records.evidence import Evidence, EvidenceExcerpt, EvidenceSymbol
from ipuaro_jupyter.records.outputs import (
    Code,
    Diff,
    GitPatch,
    Graph,
    Plain,
    Run,
    Table,
    TextOutput,
    ToolFailure,
    ToolResult,
    Tree,
)
from ipuaro_jupyter.records.receipt import Receipt, ReceiptMark
from ipuaro_jupyter.records.replayed import ReplayedCall, ReplayReport
from ipuaro_jupyter.records.transcript import Transcript
from ipuaro_jupyter.records.trouble import Remedy, Trouble
from ipuaro_jupyter.views import call, progress, proposal, trouble
from ipuaro_jupyter.views.drawing import bundle, mimebundle

EVIL = "<script>alert(1)</script><img src=x onerror=y>\"'&amp;</pre></details></style>"
FAILURE = ToolFailure(type="file", message="No file one.", suggestion="Use two.", recoverable=False)


def patch_of(s):
    """Return what git would print of a file whose line was replaced, and of one that was moved."""
    return (
        "diff --git a/one.ts b/one.ts\nindex 1..2 100644\n--- a/one.ts\n+++ b/one.ts\n"
        f"@@ -7,2 +7,2 @@ {s}\n kept\n-gone\n+{s}\n\\ No newline at end of file\n"
        f"diff --git a/{s} b/new\nsimilarity index 100%\nrename from {s}\nrename to new\n"
    )


SHAPES = {
    "code": lambda s: Code(title=s, lines=(s, "second"), start=4, language="ts"),
    "table": lambda s: Table(title=s, columns=(s, "n"), rows=((s, 5), (None, 7)), note=s),
    "tree": lambda s: Tree(title=s, lines=(s, "leaf"), note=s),
    "graph": lambda s: Graph(title=s, nodes=(s, "b"), edges=((s, "b"),), marks={s: ("hub",)}),
    "imports": lambda s: Graph(
        title=s,
        nodes=(s, "b", "alone"),
        edges=((s, "b"), ("b", s)),
        marks={s: ("hub", "cycle"), "b": ("entry",)},
        loc={s: 40, "b": 3},
        scores={s: 12.5},
        cycles=((s, "b"),),
        focus=s,
        note=s,
    ),
    "many imports": lambda s: Graph(
        title=s,
        nodes=tuple(f"{n % 9}/{s}/{n}" for n in range(200)),
        edges=tuple((f"{n % 9}/{s}/{n}", f"0/{s}/0") for n in range(200)),
        marks={f"0/{s}/0": ("hub",)},
        focus=f"0/{s}",
    ),
    "diff": lambda s: Diff(title=s, path=s, old="gone\nkept\n", new=f"{s}\nkept"),
    "patch": lambda s: GitPatch(title=s, text=patch_of(s)),
    "patch, side by side": lambda s: GitPatch(title=s, text=patch_of(s), is_beside=True),
    "run": lambda s: Run(title=s, command=s, stdout=s, stderr=s, exit_code=3, duration_ms=1500),
    "plain": lambda s: Plain(text=s),
}


def called(s, error=None):
    output = None if error else TextOutput(content=s)
    return CalledTool(
        call=ToolCall(name=s, arguments={s: s}),
        result=ToolResult(tool=s, output=output, error=error, duration_ms=40),
        said=s,
    )


def answer(s):
    return Answer(
        question=s,
        text=s,
        tool_calls=(called(s), called(s, FAILURE)),
        edits=(Change(path=s, before=b"gone\n", after=s.encode()),),
        usage=Usage(prompt_tokens=10, completion_tokens=20, estimated=True),
        ended="limit",
        notice=s,
        duration_ms=90_000,
        receipt=Receipt(
            marks=(ReceiptMark(at=0, word=s, named=s, detail=s, closest=(s,)),), held=(s,), unseen=s
        ),
    )


def replayed(s):
    calls = [
        ReplayedCall(turn=1, number=number, call=ToolCall(name=s, arguments={s: s}), **how)
        for number, how in enumerate(
            (
                {"outcome": "same"},
                {"outcome": "differs", "recorded": "then\n", "replayed": f"{s}\n"},
                {"outcome": "missing", "recorded": f"{s}\n"},
                {"outcome": "not compared"},
            ),
            1,
        )
    ]
    return ReplayReport(
        notebook=s,
        project=s,
        in_place=False,
        messages=1,
        calls=tuple(calls),
        endings=(s,),
        restored=(s,),
    )


def evidence(s):
    symbol = EvidenceSymbol(path=s, name=s, line=3, end=9, why=s)
    return Evidence(
        kind="explanation",
        files=(s, "two.ts"),
        symbols=(symbol,),
        facts=(s,),
        text=s,
        tokens=40,
        ms=12.5,
        is_sure=False,
        excerpts=(EvidenceExcerpt(id="E1", symbol=symbol, lines=(f"3\t{s}",)),),
    )


def asked(s):
    return Proposal(
        id="1",
        kind="edit",
        tool=s,
        title=s,
        path=s,
        old_text="gone\n",
        new_text=s,
        reason=s,
        message=s,
        files=(s,),
        command=s,
    )


def broken(s):
    return Trouble(kind="tool", tool=s, message=s)


BUNDLES = {
    **{name: (lambda s, make=make: mimebundle(make(s))) for name, make in SHAPES.items()},
    "failure": lambda s: mimebundle(
        ToolResult(tool=s, error=FAILURE.model_copy(update={"message": s, "suggestion": s}))
    ),
    "answer": lambda s: mimebundle(answer(s)),
    "evidence": lambda s: mimebundle(evidence(s)),
    "replay": lambda s: mimebundle(replayed(s)),
    "checked answers": lambda s: mimebundle(
        CheckedAnswers(
            notebook=s,
            project=s,
            answers=(
                CheckedAnswer(cell=1, question=s, standing="holds", checked=2),
                CheckedAnswer(cell=2, question=s, standing="no longer true", gone=(s,)),
            ),
        )
    ),
    "transcript": lambda s: mimebundle(Transcript(title=s, turns=(answer(s),), earlier=2)),
    "evaluation": lambda s: mimebundle(
        Evaluation(
            findings=(Finding(named=s, kind="symbol", verdict="wrong", detail=s, closest=(s,)),),
            review=s,
            notice=s,
            model=s,
        )
    ),
    "call": lambda s: bundle(call.text(called(s, FAILURE)), call.html(called(s, FAILURE))),
    "question": lambda s: bundle(
        proposal.detail_text(asked(s)), f"<b>{html.escape(s)}</b>" + proposal.detail_html(asked(s))
    ),
    "decision": lambda s: bundle(
        proposal.text(asked(s), Decision(action="reject", reason=s)),
        proposal.html(asked(s), Decision(action="reject", reason=s)),
    ),
    "trouble": lambda s: bundle(
        trouble.detail_text(broken(s)),
        f"<b>{html.escape(trouble.title(broken(s)))}</b>" + trouble.detail_html(broken(s)),
    ),
    "remedy": lambda s: bundle(
        trouble.text(broken(s), Remedy(action="skip", reason=s)),
        trouble.html(broken(s), Remedy(action="skip", reason=s)),
    ),
    "notice": lambda s: bundle(
        progress.notice_text(Noticed(text=s, level="error")),
        progress.notice_html(Noticed(text=s, level="error")),
    ),
}


class Reader(HTMLParser):
    """Collects the text, tags and attributes of a page, without its style sheets."""

    def __init__(self, page):
        super().__init__()
        self.text, self.tags, self.attributes, self._in_style = "", [], [], False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self._apart(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self._in_style = tag == "style"

    def handle_endtag(self, tag):
        self._in_style = False
        self._apart(tag)

    def _apart(self, tag):
        if tag not in {"span", "ins", "del", "mark", "strong", "code"}:
            self.text += " "

    def handle_data(self, data):
        if not self._in_style:
            self.text += data


def words(text):
    return set(re.findall(r"[\w.]+", text))


@pytest.mark.parametrize("name", BUNDLES)
def test_text_and_html_say_the_same(name):
    """Every word and number of the text is in the HTML, so that no front end hides a fact."""
    drawn = BUNDLES[name]("fact_of_mine")
    said = words(drawn["text/plain"])
    missing = said - words(Reader(drawn["text/html"]).text) - {"null", "dev"}
    assert said
    assert not missing, f"the HTML of {name} does not say {sorted(missing)}"


@pytest.mark.parametrize("name", BUNDLES)
def test_names_from_code_and_model_stay_text(name):
    reader = Reader(BUNDLES[name](EVIL)["text/html"])
    assert not {"script", "img", "iframe", "object", "link", "a"} & set(reader.tags)
    assert EVIL.split("&", maxsplit=1)[0] in reader.text


@pytest.mark.parametrize("name", BUNDLES)
def test_nothing_runs_and_nothing_is_loaded(name):
    drawn = BUNDLES[name]("x")["text/html"]
    for tag, attribute, _ in Reader(drawn).attributes:
        assert not attribute.startswith("on"), f"{tag} has {attribute}"
        assert attribute not in {"src", "srcset", "background", "href"}, f"{tag} has {attribute}"
    assert "url(" not in drawn
    assert "@import" not in drawn


@pytest.mark.parametrize("name", BUNDLES)
def test_tables_say_what_their_headings_are_for(name):
    reader = Reader(BUNDLES[name]("x")["text/html"])
    scoped = [value for tag, key, value in reader.attributes if (tag, key) == ("th", "scope")]
    assert len(scoped) == reader.tags.count("th")


def sheets():
    views = files("ipuaro_jupyter.views") / "static"
    own = [sheet for sheet in views.iterdir() if sheet.name.endswith(".css")]
    questions = Path(__file__).parents[2] / "labextension-config/ipuaro-views/static"
    return [*own, *(questions / name for name in ("controls.css", "proposal.css"))]


@pytest.mark.parametrize("sheet", sheets(), ids=lambda path: path.name)
def test_colours_come_from_the_theme(sheet):
    """Use var(--jp-…, fallback), currentColor or transparent, never a colour of our own."""
    text = re.sub(r"/\*.*?\*/", "", sheet.read_text("utf-8"), flags=re.DOTALL)
    without_variables = re.sub(r"var\(--jp-[\w-]+,[^()]*\)", "", text)
    assert not re.findall(r"#[0-9a-fA-F]{3,8}\b|rgba?\(|hsla?\(", without_variables)
    bare = re.findall(r"var\(--jp-[\w-]+\)", text)
    assert not bare, f"{bare} need a fallback"
