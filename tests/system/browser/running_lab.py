"""A running JupyterLab and the notebooks that are open in it."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import tomllib
import urllib.request
from pathlib import Path

import nbformat
from ipykernel.ipkernel import IPythonKernel
from playwright.sync_api import TimeoutError as PlaywrightTimeout

TOKEN = "browser-tests"
CHECKOUT = Path(__file__).parents[3]
IS_CHECKOUT = (CHECKOUT / "labextension-config").is_dir()  # else the wheel has put it into place
OVERRIDES = (
    CHECKOUT / "labextension-config/overrides.d"
    if IS_CHECKOUT
    else Path(sys.prefix) / "share/jupyter/lab/settings/overrides.d"
)
SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    },
    "@jupyterlab/docmanager-extension:plugin": {"autosave": False},
    "@jupyterlab/completer-extension:manager": {"providerTimeout": 30_000},
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
}
METADATA = {  # what JupyterLab would write of the kernel
    "kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"},
    "language_info": IPythonKernel.language_info,
}
FRONT_ENDS = {"lab": "lab/tree", "notebook7": "notebooks"}
"""Where each opens a notebook."""
OPEN_MS = 60_000
RUN_MS = 30_000
VIEWPORT = {"width": 1100, "height": 1000}


class Lab:
    """A running JupyterLab whose folder is ``root``; everything it writes is below ``home``."""

    def __init__(self, home, *, python=sys.executable, environment=None, cwd=None):
        self.root = home / "notebooks"
        self.root.mkdir(parents=True)
        settings = home / "app-settings"
        settings.mkdir()
        (settings / "overrides.json").write_text(json.dumps(SETTINGS))
        shutil.copytree(OVERRIDES, settings / "overrides.d")
        folders = _folders(home)
        _install_views(Path(folders["JUPYTER_DATA_DIR"]))
        self._port = _free_port()
        self._log = (home / "lab.log").open("wb")
        self._process = subprocess.Popen(
            [
                python,
                "-P",  # no module of the folder that it runs in
                "-m",
                "jupyterlab",
                "--no-browser",
                "--allow-root",
                "--ServerApp.ip=127.0.0.1",
                f"--ServerApp.port={self._port}",
                "--ServerApp.port_retries=0",
                f"--IdentityProvider.token={TOKEN}",
                f"--ServerApp.root_dir={self.root}",
                f"--LabApp.app_settings_dir={settings}",
                "--LabApp.expose_app_in_browser=True",
                "--JupyterNotebookApp.expose_app_in_browser=True",
                "--LabApp.news_url=None",
                "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
                "--LabApp.extension_manager=readonly",
                "--ServerApp.terminals_enabled=False",
            ],
            env={**os.environ, **folders, **(environment or {})},
            cwd=cwd,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self._wait()

    def address(self, path):
        """The address of a page of the server."""
        return f"http://127.0.0.1:{self._port}/{path}?token={TOKEN}&reset"

    def stop(self):
        """End the server, which ends its kernels."""
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()

    def write(self, name, cells):
        """Write a notebook of code cells into the server's folder."""
        notebook = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(cell) for cell in cells],
            metadata=METADATA,
        )
        path = self.root / name
        nbformat.write(notebook, path)
        return path

    def open(self, browser, name, *, front_end="lab", theme="", kernel=True):
        """Open a notebook in a page of its own, and wait for its kernel."""
        url = self.address(f"{FRONT_ENDS[front_end]}/{name}")
        for attempt in (1, 2):
            context = browser.new_context(viewport=VIEWPORT)
            page = context.new_page()
            try:
                page.goto(url)
                page.wait_for_function(_READY if kernel else _SHOWN, timeout=OPEN_MS)
            except PlaywrightTimeout:
                context.close()
                if attempt == 2:
                    raise
            else:
                sheet = Sheet(page, name, front_end)
                if theme:
                    sheet.set_theme(theme)
                return sheet
        raise AssertionError

    def _wait(self):
        url = f"http://127.0.0.1:{self._port}/api/status?token={TOKEN}"
        until_s = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(url, timeout=2).close()
            except OSError:
                if self._process.poll() is not None or time.monotonic() > until_s:
                    raise
                time.sleep(0.1)
            else:
                return


class Sheet:
    """One open notebook, cells counted from 0."""

    def __init__(self, page, name, front_end):
        self.page = page
        self.name = name
        self.front_end = front_end

    def cell(self, number):
        """Return a cell."""
        return self.page.locator(".jp-Notebook .jp-Cell").nth(number)

    def outputs(self, number):
        """Return the outputs of a cell."""
        return self.cell(number).locator(".jp-Cell-outputArea")

    def start(self, *numbers):
        """Ask for cells to be run, without waiting; several are queued."""
        for number in numbers:
            self.page.evaluate(_START, number)

    def run(self, *numbers):
        """Run cells one after the other and wait for each."""
        for number in numbers:
            self.start(number)
            self.wait(number)

    def wait(self, number, timeout_ms=RUN_MS):
        """Wait until a cell has run."""
        self.page.wait_for_function(_DONE, arg=number, timeout=timeout_ms)

    def watch(self, number):
        """Keep every state that the outputs of a cell go through from now on."""
        self.page.evaluate(_WATCH, number)

    def watched(self):
        """Return the texts that were seen."""
        return self.page.evaluate("window.seenOutputs")

    def is_running(self, number):
        """Whether a cell is running or queued."""
        return self.page.evaluate(_STATE, number) == "running"

    def press_stop(self):
        """Press the toolbar's button that interrupts the kernel."""
        selector = '.jp-NotebookPanel-toolbar [data-command="notebook:interrupt-kernel"]'
        self.page.locator(selector).first.click()

    def reload(self):
        """Load the page anew, and wait for the notebook and its kernel's connection."""
        self.page.reload()
        self.page.wait_for_function(_CONNECTED, timeout=OPEN_MS)

    def save(self):
        """Save the notebook."""
        self.page.evaluate("window.jupyterapp.commands.execute('docmanager:save')")

    def set_theme(self, theme):
        """Change the look: "JupyterLab Light", "JupyterLab Dark"."""
        self.page.evaluate(
            "theme => window.jupyterapp.commands.execute('apputils:change-theme', { theme })", theme
        )
        self.page.wait_for_selector(f'body[data-jp-theme-name="{theme}"]', state="attached")
        self.page.wait_for_selector("#jupyterlab-splash", state="detached")  # it fades

    def renew(self, *, kernel=True):
        """Show what the notebook's file holds by now, as in a page that was opened for it."""
        self.page.bring_to_front()
        self.page.set_viewport_size(VIEWPORT)
        self.page.emulate_media(media="null", reduced_motion="null")
        if self.front_end == "lab":
            self.page.evaluate("window.jupyterapp.shell.expandLeft()")
        self.page.evaluate(_RENEW, kernel)
        self.page.wait_for_function(_READY if kernel else _SHOWN, timeout=OPEN_MS)

    def source(self, number):
        """Return the text of a cell as it is saved."""
        return self.page.evaluate(_SOURCE, number)

    def text(self, number):
        """Return what a cell's outputs say, blanks collapsed."""
        return re.sub(r"\s+", " ", self.outputs(number).inner_text()).strip()

    def close(self):
        """Shut the kernel down and close the page."""
        self.page.evaluate(_SHUTDOWN)
        self.page.context.close()


_PANEL = "const panel = window.jupyterapp?.shell?.currentWidget;"
_SHOWN = f"() => {{ {_PANEL} return Boolean(panel?.content?.widgets?.length); }}"
_READY = f"""() => {{ {_PANEL}
  const kernel = panel?.sessionContext?.session?.kernel;
  return kernel?.connectionStatus === 'connected' && kernel?.status === 'idle'
    && panel.content.widgets.length > 0; }}"""
_CONNECTED = f"""() => {{ {_PANEL}
  const kernel = panel?.sessionContext?.session?.kernel;
  return kernel?.connectionStatus === 'connected' && panel.content.widgets.length > 0; }}"""
_START = f"""number => {{ {_PANEL}
  panel.content.activeCellIndex = number;
  window.jupyterapp.commands.execute('notebook:run-cell'); }}"""
# The cell model, not the kernel: the kernel says idle while a cell awaits.
_WATCH = """number => {
  const cell = document.querySelectorAll('.jp-Notebook .jp-Cell')[number];
  window.seenOutputs = [];
  const note = () => {
    const area = cell.querySelector('.jp-Cell-outputWrapper');
    if (area) window.seenOutputs.push(area.innerText);
  };
  new MutationObserver(note).observe(cell, {childList: true, subtree: true, characterData: true});
}"""
_STATE = f"number => {{ {_PANEL} return panel.content.widgets[number].model.executionState; }}"
_SOURCE = f"""number => {{ {_PANEL}
  return panel.content.widgets[number].model.sharedModel.source; }}"""
_DONE = f"""number => {{ {_PANEL} const model = panel.content.widgets[number].model;
  return model.executionState === 'idle' && model.executionCount !== null; }}"""
_RENEW = f"""async kernel => {{ {_PANEL}
  const session = panel.sessionContext;
  if (kernel && session.session?.kernel) await session.restartKernel();
  else if (kernel) await session.changeKernel({{ name: 'python3' }});
  panel.content.mode = 'command';
  await panel.context.revert();
  panel.content.activeCellIndex = 0; }}"""
_SHUTDOWN = f"async () => {{ {_PANEL} await panel?.sessionContext?.shutdown(); }}"


def _install_views(data):
    """Put the extension of live views below Jupyter's ``data`` folder as the wheel does."""
    if not IS_CHECKOUT:
        return
    build = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    for source, target in build["targets"]["wheel"]["shared-data"].items():
        if "/labextensions/" in target:
            copy = shutil.copytree if (CHECKOUT / source).is_dir() else shutil.copy
            copy(CHECKOUT / source, data / Path(target).relative_to("share/jupyter"))


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _folders(home):
    names = {
        "HOME": "home",
        "JUPYTER_CONFIG_DIR": "jupyter-config",
        "JUPYTER_DATA_DIR": "jupyter-data",
        "JUPYTER_RUNTIME_DIR": "jupyter-runtime",
        "IPYTHONDIR": "ipython",
        "JUPYTERLAB_SETTINGS_DIR": "lab-settings",
        "JUPYTERLAB_WORKSPACES_DIR": "lab-workspaces",
    }
    folders = {variable: home / name for variable, name in names.items()}
    for folder in folders.values():
        folder.mkdir()
    ours_first = {"JUPYTER_PREFER_ENV_PATH": "0"}  # an environment may hold older views
    return {variable: str(folder) for variable, folder in folders.items()} | ours_first
