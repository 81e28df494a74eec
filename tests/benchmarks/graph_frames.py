"""What a frame of a live graph costs, in Chromium: laid out, moved, zoomed.

``python tests/benchmarks/graph_frames.py [FILES] [--pictures FOLDER]``: a project of FILES (2000)
files made at random, all of its folders open. No JupyterLab is needed: the extension's modules are
drawn in a bare page. For each frame, the time of our own code (the names, the layout) and that of
all script, which is mostly Cytoscape's drawing; median and worst. All is done five times, and the
shortest time of each frame counts: what other programs take of the processor is no script.
"""

import argparse
import random
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Page, Route, sync_playwright

_STATIC = Path(__file__).parents[2] / "labextension-config/ipuaro-views/static"
_STYLES = Path(__file__).parents[2] / "ipuaro_jupyter/views/static"
_CHROMIUM = "/usr/bin/chromium"
_ROUNDS = 5
_PAGE = """<!doctype html><title>frames</title>
<link rel="stylesheet" href="/static/base.css"><link rel="stylesheet" href="/static/controls.css">
<link rel="stylesheet" href="/static/views.css">
<body style="font-family: sans-serif; {theme}"></body>"""
_DARK = (
    "background: #111; --jp-layout-color0: #111; --jp-layout-color1: #212121;"
    " --jp-layout-color2: #424242; --jp-layout-color3: #616161; --jp-content-font-color1: #fff;"
    " --jp-content-font-color2: #bbb; --jp-border-color0: #616161; --jp-border-color1: #616161;"
    " --jp-brand-color1: #2196f3; --jp-warn-color1: #ff9800; --jp-error-color1: #f44336;"
    " color: #fff"
)
# Times what runs in each frame, and of that the methods that are ours.
_DRAW = """async data => {
  const { Labels } = await import('/static/labels.js');
  const { drawGraph } = await import('/static/graph.js');
  let [ours, all, depth] = [0, 0, 0];
  const timed = (owner, name, add) => {
    const before = owner[name];
    owner[name] = function (...given) {
      const start = performance.now();
      depth++;
      try {
        return before.apply(this, given);
      } finally {
        depth--;
        if (!depth) add(performance.now() - start);
      }
    };
  };
  const add = time => (ours += time);
  for (const name of ['draw', 'mark', 'renew']) timed(Labels.prototype, name, add);
  const frame = window.requestAnimationFrame;
  window.requestAnimationFrame = act => frame(now => {
    const start = performance.now();
    act(now);
    all += performance.now() - start;
  });
  const graph = drawGraph(data, {});
  document.body.append(graph.node);
  const next = () => new Promise(done => frame(() => setTimeout(done)));
  window.frames_ = async (count, act) => {
    const seen = [];
    for (let number = 0; number < count; number++) {
      [ours, all] = [0, 0];
      const start = performance.now();
      act(number);
      all += performance.now() - start;
      await next();
      seen.push([ours, all]);
    }
    return seen;
  };
  window.graph = graph;
  while (!graph.picture) await next();
}"""
_ACTS = {
    "folders closed": "(graph.search.value = '', frames_(30, n => n || graph.closeAll.click()))",
    "folders opened": "frames_(30, n => n || graph.openAll.click())",
    "moved": "frames_(120, n => graph.picture.pan(n % 40 < 20 ? 15 : -15, 6))",
    "zoomed in": "(graph.picture.fit(), frames_(120, () => graph.picture.zoom(1.035)))",
    "moved, near": "frames_(120, n => graph.picture.pan(n % 40 < 20 ? 15 : -15, 6))",
    "zoomed out": "frames_(120, () => graph.picture.zoom(1 / 1.035))",
    "searched": "frames_(20, n => { graph.search.value = `file${n}`; graph.find(); })",
}
_LAYOUT = """async () => {
  const { boxes } = await import('/static/layout.js');
  const { Drawing } = await import('/static/layers.js');
  const room = { width: 800, height: 400 };
  const times = [];
  for (let number = 0; number < 20; number++) {
    const start = performance.now();
    boxes(new Drawing(graph.shown, graph.open), graph.picture.dagre, room);
    times.push([performance.now() - start, 0]);
  }
  return times;
}"""


def graph_data(count: int) -> dict[str, Any]:
    """Return a graph as a notebook has it: folders of 40 files, neighbours and popular files."""
    chance = random.Random(1)
    paths = [f"src/area{n // 400}/part{n // 40}/file{n}.ts" for n in range(count)]
    drawn = {
        (file, chance.randrange(max(0, file - 60), file) if chance.random() < 0.7 else popular)
        for file in range(1, count)
        for popular in (int(file * chance.random() ** 3) for _ in range(chance.randint(0, 6)))
    }
    pairs = sorted(drawn)
    popular = sorted(range(count), key=lambda n: -sum(to == n for _, to in pairs))[: count // 50]
    nodes = [
        {
            "id": path,
            "folder": path.rpartition("/")[0],
            "marks": ["hub"] if number in popular else [],
            "loc": 10,
            "score": 20.0,
            "href": path,
        }
        for number, path in enumerate(paths)
    ]
    data = {"version": 1, "title": "Dependencies", "focus": None, "nodes": nodes}
    return {**data, "edges": pairs, "cycles": [], "truncated": 0}


def serve(theme: str, route: Route) -> None:
    """Answer a request of the page from the checkout."""
    name = route.request.url.partition("/static/")[2]
    if not name:
        route.fulfill(content_type="text/html", body=_PAGE.format(theme=theme))
        return
    path = _STATIC / name
    route.fulfill(path=path if path.is_file() else _STYLES / name)


def measure(page: Page) -> None:
    """Print the times of each act."""
    print(f"{'':20}{'ours, ms: median':>18}{'worst':>8}{'all script: median':>20}{'worst':>8}")
    acts = {**_ACTS, "layout alone": f"({_LAYOUT})()"}
    rounds = [
        {name: page.evaluate(f"async () => await ({act})") for name, act in acts.items()}
        for _ in range(_ROUNDS)
    ]
    for name in acts:
        frames = list(zip(*(seen[name] for seen in rounds), strict=True))
        ours, every = [[min(one[n] for one in frame) for frame in frames] for n in (0, 1)]
        figures = f"{median(ours):18.1f}{max(ours):8.1f}{median(every):20.1f}{max(every):8.1f}"
        print(f"{name:20}{figures}")


def picture(page: Page, folder: Path, name: str) -> None:
    """Keep screenshots at several zooms."""
    for number, zoom in enumerate((1, 2, 2, 2.5)):
        page.evaluate("async zoom => frames_(4, n => n || graph.picture.zoom(zoom))", zoom)
        page.screenshot(path=folder / f"{name}-{number}.png")


def main() -> None:
    """Measure, and make pictures where they are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="?", type=int, default=2000)
    parser.add_argument("--pictures", type=Path)
    asked = parser.parse_args()
    data = graph_data(asked.files)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_CHROMIUM, args=["--no-sandbox"])
        looks = {"light": ("", 1100), "dark": (_DARK, 1100), "narrow": ("", 400)}
        for name, (theme, width) in looks.items():
            page = browser.new_page(viewport={"width": width, "height": 900})
            page.route("**/*", partial(serve, theme))
            page.goto("http://graph.test/")
            page.evaluate(_DRAW, data)
            if name == "light":
                measure(page)
            if not asked.pictures:
                break
            page.evaluate("async () => { graph.openAll.click(); graph.picture.fit(); }")
            picture(page, asked.pictures, f"{name}-{asked.files}")
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
