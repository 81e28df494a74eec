"""One server for the run, one Chromium and its pages for a module, all else for each test.

Each test has a project, a notebook and a kernel of its own. Each test that opens a ``sheet`` runs
in JupyterLab and in Notebook 7.
"""

import importlib.util
import json
import os
import sys
from pathlib import Path

import pytest

try:
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None

CHROMIUM = Path("/usr/bin/chromium")
ARTEFACTS = Path(__file__).parent / "artefacts"
CHROMIUM_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
RETRY = """\
export async function retry(task: (label: string) => Promise<void>): Promise<void> {
  const attempts = 3;
  let last: unknown;
  for (let i = 0; i < attempts; i++) {
    try {
      return await task(`job ${i}`);
    } catch (error) {
      last = error;
    }
  }
  throw last;
}
"""
EDIT = """\
Three attempts are few for a slow network. I will raise the number.
<tool_call name="edit_lines">
<path>src/retry.ts</path>
<start>2</start>
<end>2</end>
<content>  const attempts = 5;</content>
</tool_call>
"""
READ = '<tool_call name="get_lines"><path>src/retry.ts</path></tool_call>'
EXPLAINED = """\
## How `retry` works

It calls `task` **at most** `attempts` times and keeps the last error:

```ts
for (let i = 0; i < attempts; i++) {
  try { return await task(`job ${i}`) } catch (error) { last = error }
}
```

| attempt | outcome |
|---|---|
| 1 to 3 | returns when `task` succeeds |
| after | throws `last` |

A price of $5 and $10 is no formula. <script>document.title = "run"</script>
"""
TURNS = {
    "How does retry work?": [READ, EXPLAINED],
    "Retry more often.": [EDIT, "`retry` now makes **five** attempts."],
    "Run the tests.": [
        '<tool_call name="run_command"><command>npm install left-pad</command></tool_call>',
        "Done.",
    ],
    "Where is the limit?": [
        "`retry` (src/retry.ts:1) has it, says `src/retries.ts`; src/retry.ts:99."
    ],
    "Tell me everything.": ["All of it. " * 4000],
}


def _load(name):
    """Import a module of this folder: with importlib's import mode it is on no path."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def missing():
    """Return why no browser test can run here, "" when they can."""
    if sync_playwright is None:
        return "playwright is not installed: pip install playwright"
    if not CHROMIUM.exists():
        return f"there is no {CHROMIUM}: apt-get install chromium"
    return ""


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """A JupyterLab of the whole run; without a browser a skip, in CI an error."""
    if missing() and os.environ.get("CI"):
        pytest.fail(missing())
    if missing():
        pytest.skip(missing())
    # Not at the top: it needs playwright.
    opened = _load("running_lab").Lab(tmp_path_factory.mktemp("lab"))
    yield opened
    opened.stop()


@pytest.fixture(scope="module")
def browser(lab):
    """A Chromium that ends with the module: its event loop must not meet other tests'."""
    del lab
    with sync_playwright() as playwright:
        arguments = list(CHROMIUM_ARGUMENTS)
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield launched
        launched.close()


@pytest.fixture
def project(make_project):
    return make_project({"src/retry.ts": RETRY})


@pytest.fixture
def recording(request, tmp_path):
    """A recording of the ``TURNS`` of the test's module, or of those above."""
    path = tmp_path / "recording.json"
    said = getattr(request.module, "TURNS", TURNS)
    turns = [{"message": message, "replies": replies} for message, replies in said.items()]
    path.write_text(json.dumps({"version": 1, "turns": turns}))
    return path


@pytest.fixture(params=["lab", pytest.param("notebook7", marks=pytest.mark.long)])
def front_end(request):
    return request.param


@pytest.fixture(scope="module")
def pages(lab, browser):
    """The pages of a module."""
    opened = _load("open_pages").Pages(lab, browser)
    yield opened
    opened.close()


@pytest.fixture
def page_of(pages, front_end, request):
    """Return a function that opens a notebook's page; a test that fails leaves none behind."""
    names = []
    failed = request.session.testsfailed

    def open_it(name, **options):
        assert name not in names, f"{name} is open in this test"
        names.append(name)
        return pages.open(name, front_end=front_end, **options)

    yield open_it
    if request.session.testsfailed > failed:
        for name in names:
            pages.drop(name, front_end)


@pytest.fixture
def sheet(lab, page_of, *, project, recording, front_end, request):
    """Return a function that opens a notebook of cells, its project already started."""

    def open_it(*cells, theme=""):
        start = f"%ipuaro start {project} --model recorded:{recording}"
        name = f"{request.module.__name__.rpartition('.')[2]}-{front_end}.ipynb"
        lab.write(name, ["%load_ext ipuaro_jupyter", start, *cells])
        opened = page_of(name, theme=theme)
        opened.run(0, 1)
        return opened

    return open_it


@pytest.fixture
def picture():
    """Return a function that keeps a screenshot for a person to look at."""
    ARTEFACTS.mkdir(exist_ok=True)

    def take(sheet, name):
        sheet.page.screenshot(path=ARTEFACTS / f"{name}-{sheet.front_end}.png")

    return take
