"""A notebook with saved widgets of every kind, made to run script: opened, nothing runs.

The packages that the notebook is opened with are those that ours needs and no others: any other
widget package may bring an extension that runs what a notebook says.
"""

import json
import random

import ipywidgets
import nbformat
import pytest
import traitlets

pytestmark = pytest.mark.browser
PWNED = "pwned.txt"
RUN = f"""document.title = 'pwned';
fetch('/api/contents/{PWNED}', {{method: 'PUT', headers: {{
  'X-XSRFToken': (document.cookie.match(/_xsrf=([^;]+)/) || [])[1] || ''}},
  body: JSON.stringify({{type: 'file', format: 'text', content: 'pwned'}})}});"""
HTML = (
    f'<img src="x" onerror="{RUN}"><script>{RUN}</script><iframe srcdoc="<script>{RUN}</script>">'
)
VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"
CONTROLS = {"model_module": "@jupyter-widgets/controls", "model_module_version": "2.0.0"}
OURS = {"model_module": "_ipuaro", "model_module_version": "^1.0.0", "model_name": "QuestionModel"}
KERNEL = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
OUTPUT = {"output_type": "display_data", "metadata": {}, "data": {"text/html": HTML}}
PLACE = {"request": "r1", "cell": "cell0", "number": 1, "id": "proposal"}


def view_of(module, version, name):
    return {"_view_module": module, "_view_module_version": version, "_view_name": name}


def ours(view, **state):
    shown = view_of("_ipuaro", "^1.0.0", view)
    return {**OURS, "state": {**shown, "title": HTML, "detail": HTML, "place": PLACE, **state}}


def control(name, **state):
    shown = view_of("@jupyter-widgets/controls", "2.0.0", f"{name}View")
    return {**CONTROLS, "model_name": f"{name}Model", "state": {**shown, **state}}


RECORD = {"text/html": HTML, "application/javascript": RUN, "text/plain": "record"}
WORDS = ("pattern", "apply_word", "check", "checked", "edit_text", "edit_note")
QUESTION = dict.fromkeys(WORDS, HTML) | {
    "files": [],
    "opened": [],
    "choices": 2,
    "editable": True,
    "drafts": {},
}
ESM = f"""{RUN}
export default {{ initialize() {{ {RUN} }}, render() {{ {RUN} }} }};"""
WIDGETS = {
    "proposal": ours("ProposalView", **QUESTION),
    "settled": ours("ProposalView", **QUESTION, record=RECORD),
    "trouble": ours("TroubleView", options=["retry", HTML]),
    "anywidget": {
        "model_module": "anywidget",
        "model_module_version": "*",
        "model_name": "AnyModel",
        "state": {
            **view_of("anywidget", "*", "AnyView"),
            "_anywidget_id": "evil.Widget",
            "_esm": ESM,
            "_css": f"</style>{HTML}",
        },
    },
    "unknown": {
        "model_module": "evil-widgets",
        "model_module_version": "1.0.0",
        "model_name": "EvilModel",
        "state": view_of("evil-widgets", "1.0.0", "EvilView"),
    },
    "address": {
        "model_module": "http://evil.example/evil.js",
        "model_module_version": "1.0.0",
        "model_name": "EvilModel",
        "state": view_of("http://evil.example/evil.js", "1.0.0", "EvilView"),
    },
    "html": control("HTML", value=HTML),
    "math": control("HTMLMath", value=HTML),
    "label": control("Label", value="only a label"),
    "button": control("Button", description=HTML, icon=f"x' onmouseover='{RUN}"),
    "text": control("Text", value=HTML, description=HTML, description_allow_html=True),
    "output": {
        "model_module": "@jupyter-widgets/output",
        "model_module_version": "1.0.0",
        "model_name": "OutputModel",
        "state": {
            **view_of("@jupyter-widgets/output", "1.0.0", "OutputView"),
            "outputs": [OUTPUT, {**OUTPUT, "data": {"application/javascript": RUN}}],
        },
    },
}
HOSTILE = (HTML, RUN, f"javascript:{RUN}", f"x' onmouseover='{RUN}", "url(http://evil.example/x)")


def generated(seed):
    """Return a widget of every class that ipywidgets has, with hostile texts wherever it takes any.

    Their layouts and styles are among them; what a class takes no text for is left out, or drawn.
    """
    source, widgets = random.Random(seed), {}
    for name, kind in sorted(vars(ipywidgets).items()):
        if not (isinstance(kind, type) and issubclass(kind, ipywidgets.Widget)):
            continue
        state = {"_view_name": None}
        for key, trait in kind.class_traits(sync=True).items():
            if key.startswith(("_model", "_view")):
                state[key] = trait.default_value
            elif isinstance(trait, (traitlets.Unicode, traitlets.Any)) and key != "comm":
                state[key] = source.choice(HOSTILE)
            elif isinstance(trait, traitlets.Bool):
                state[key] = source.random() < 0.8
            elif key in {"_options_labels", "titles", "options"}:
                state[key] = [source.choice(HOSTILE)] * 2
        place = ("_model_module", "_model_module_version", "_model_name")
        module, version, model = (state[key] for key in place)
        widgets[f"{name}{seed}"] = {
            "model_module": module,
            "model_module_version": version,
            "model_name": model,
            "state": state,
        }
    assert len(widgets) > 40
    return widgets


def notebook(widgets):
    """Return a notebook with a cell that shows each widget."""
    cells = []
    for number, name in enumerate(widgets):
        view = {"version_major": 2, "version_minor": 0, "model_id": name}
        data = {VIEW: view, "text/plain": f"plain {name}"}
        output = nbformat.v4.new_output("display_data", data=data)
        cell = nbformat.v4.new_code_cell("1", outputs=[output], execution_count=number + 1)
        cells.append({**cell, "id": f"cell{number}"})
    states = {"version_major": 2, "version_minor": 0, "state": widgets}
    return nbformat.v4.new_notebook(
        cells=cells, metadata={"kernelspec": KERNEL, "widgets": {STATE: states}}
    )


@pytest.fixture
def opened(lab, pages, page_of, front_end):
    """Return a function that opens a notebook of widgets, and what its page asked for.

    The page is closed afterwards: JupyterLab would restore its tab in the next page, too.
    """
    paths = []

    def open_it(name, widgets):
        path = f"{name}-{front_end}.ipynb"
        paths.append(path)
        (lab.root / path).write_text(json.dumps(notebook(widgets)))
        sheet, asked = page_of(path), []
        sheet.page.on("request", lambda request: asked.append((request.method, request.url)))
        sheet.reload()
        return sheet, asked

    yield open_it
    (lab.root / PWNED).unlink(missing_ok=True)
    for path in paths:
        pages.drop(path, front_end)


TRUST = """path => {
  const widgets = [...window.jupyterapp.shell.widgets('main')];
  const { context } = widgets.find(widget => widget.context?.path === path);
  for (const cell of context.model.cells) if (cell.type === 'code') cell.trusted = true;
}"""
SETTLED_MS = 3000


def ran(lab, sheet, asked):
    """Return the traces that the scripts leave."""
    sheet.page.wait_for_timeout(SETTLED_MS)
    writes = [url for method, url in asked if method == "PUT" and "/api/contents" in url]
    traces = [url for _, url in asked if "pwned" in url or "evil" in url] + writes
    traces += [sheet.page.title()] * ("pwned" in sheet.page.title())
    return traces + [PWNED] * (lab.root / PWNED).exists()


def test_nothing_runs_when_a_foreign_notebook_is_opened(lab, opened):
    sheet, asked = opened("foreign", WIDGETS)
    assert ran(lab, sheet, asked) == []
    assert "plain proposal" in sheet.text(0)


def test_no_widget_of_any_class_runs_what_a_foreign_notebook_says(lab, opened):
    sheet, asked = opened("every", generated(1) | generated(2))
    assert ran(lab, sheet, asked) == []
    assert "plain Accordion1" in sheet.text(0)


def test_a_saved_question_draws_and_writes_nothing_even_where_it_is_trusted(lab, opened):
    names = ("proposal", "settled", "trouble", "anywidget", "unknown", "address", "label")
    sheet, asked = opened("trusted", {name: WIDGETS[name] for name in names})
    sheet.page.evaluate(TRUST, sheet.name)
    sheet.outputs(names.index("label")).get_by_text("only a label", exact=True).wait_for()
    assert ran(lab, sheet, asked) == []
    assert sheet.page.locator(".ipuaro-proposal").count() == 0
    assert "record" not in sheet.text(0)
