"""Two users of a real JupyterHub on one machine, with the configuration that the guide shows."""

import json
import re
from pathlib import Path

import httpx
import pytest
from gguf_files import write_gguf
from jupyter_hub import Hub, missing
from notebooks_of_cells import notebook

try:
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None

PAGE = Path(__file__).parents[3] / "notebooks/many-people.md"
USERS = ("ada", "ben")
CHROMIUM = Path("/usr/bin/chromium")
KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}
CELLS = (
    "%load_ext ipuaro_jupyter",
    "%ipuaro start ~/app",
    "%tool find_definition symbol=f2",
    "%tool run_command command='npm install left-pad'",
)
SETUP = """
mkdir -p /srv/app/src /etc/ipuaro
install -D --mode 644 {folder}/weights /srv/models/Qwen/Q-GGUF/q4.gguf
cd /srv/app
for n in 1 2 3; do
    printf 'export function f%s(): number {{\\n  return %s;\\n}}\\n' $n $n > src/f$n.ts
done
git init -q
git add -A
git -c user.name=x -c user.email=x@y.z commit -qm one
{safe}
export IPUARO_HOME=/srv/ipuaro-of-root
mkdir -p /srv/indexes
{export}
for user in ada ben; do su $user -c 'git clone -q /srv/app ~/app'; done
cat > /etc/ipuaro/settings.json <<'END'
{settings}
END
"""
OTHERS = """
import os, pathlib, socket
found = []
home = pathlib.Path("/home/{other}/.local/share/ipuaro")
sock = home / "store/valkey-9/server.sock"
try:
    found += os.listdir(home)
except PermissionError:
    pass
client = socket.socket(socket.AF_UNIX)
try:
    client.connect(str(sock))
    found.append(sock)
except PermissionError:
    pass
client.close()
for top in ("/home/{other}", "/tmp", "/run", "/dev/shm"):
    for folder, _, files in os.walk(top):
        for file in files:
            path = pathlib.Path(folder, file)
            if "ipuaro" in str(path) and path.lstat().st_uid == {uid} and os.access(path, os.R_OK):
                found.append(path)
print(found)
"""
pytestmark = [
    pytest.mark.skipif(bool(missing()), reason=missing()),
    pytest.mark.checkout,
    pytest.mark.long,
]


def block(language):
    """The only block of code in this language under "On JupyterHub"."""
    section = PAGE.read_text("utf-8").partition("## On JupyterHub\n")[2].partition("\n## ")[0]
    (found,) = re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)
    return found


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    safe = "\n".join(re.findall(r"git config --system .*", block("sh")))
    (export,) = re.findall(r"^# (ipuaro index .*)", PAGE.read_text("utf-8"), re.MULTILINE)
    folder = tmp_path_factory.mktemp("hub")
    write_gguf(folder / "weights")
    hub = Hub(
        folder,
        USERS,
        config=block("python"),
        setup=SETUP.format(safe=safe, export=export, settings=block("json"), folder=folder),
    )
    try:
        hub.wait()
        for user in USERS:
            hub.serve(user)
        yield hub
    finally:
        hub.close()


@pytest.fixture
def kernels(hub):
    """A kernel of each user, with the extension."""
    made = {user: hub.kernel(user) for user in USERS}
    for kernel in made.values():
        assert kernel.run("%load_ext ipuaro_jupyter").text == ""
    yield made
    for kernel in made.values():
        kernel.close()


@pytest.mark.parametrize("root", ["/srv/app", "/home/{user}/app"])
def test_each_has_an_index_of_their_own(kernels, root):
    for user, kernel in kernels.items():
        opened = kernel.run(f"%ipuaro start {root.format(user=user)}").text
        assert "Index: 3 files, 3 symbols" in opened
        assert f"Store: unix:///home/{user}/.local/share/ipuaro/store/" in opened
    for kernel in kernels.values():
        assert "src/f2.ts:1" in kernel.run("%tool find_definition symbol=f2").text
        assert "Branch master\nNothing." in kernel.run("%tool git_status").text


@pytest.mark.parametrize("root", ["/srv/app", "~/app"])
def test_the_first_index_begins_with_that_of_root(kernels, root):
    for kernel in kernels.values():
        report = json.loads(kernel.run(f"!ipuaro index {root} --json 2>/dev/null").text)
        assert (report["files"], report["parsed"], report["notice"]) == (3, 0, "")


def test_nobody_reaches_what_the_other_keeps(kernels):
    for kernel in kernels.values():
        kernel.run("%ipuaro start ~/app")
    uids = {
        user: kernel.run("import os; print(os.getuid())").text for user, kernel in kernels.items()
    }
    for user, kernel in kernels.items():
        (other,) = set(USERS) - {user}
        assert kernel.run(OTHERS.format(other=other, uid=uids[other])).text == "[]"


def test_a_change_reaches_only_the_users_own_clone(kernels):
    change = "%tool edit_lines path=src/f1.ts start=2 end=2 content='  return {};'"
    for number, kernel in enumerate(kernels.values(), 10):
        kernel.run("%ipuaro start ~/app --approve edits")
        kernel.run("%tool get_lines path=src/f1.ts")
        kernel.run(change.format(number))
    for number, kernel in enumerate(kernels.values(), 10):
        assert f"return {number};" in kernel.run("!cat ~/app/src/f1.ts").text
        assert "src/f1.ts" in kernel.run("%ipuaro undo").text
        assert "return 1;" in kernel.run("!cat ~/app/src/f1.ts").text


def test_a_change_of_a_read_only_repository_says_why_it_cannot_be(kernels):
    kernel = kernels["ada"]
    kernel.run("%ipuaro start /srv/app --approve edits")
    kernel.run("%tool get_lines path=src/f1.ts")
    ran = kernel.run("%tool edit_lines path=src/f1.ts start=2 end=2 content='  return 7;'")
    assert "src/f1.ts is write-protected" in ran.text
    assert "return 1;" in kernel.run("!cat /srv/app/src/f1.ts").text
    assert "src/f1.ts:1" in kernel.run("%tool find_definition symbol=f1").text


@pytest.mark.parametrize(
    "attempt",
    [
        "%env IPUARO_SYSTEM_SETTINGS=/home/ben/mine",
        "!echo IPUARO_SYSTEM_SETTINGS=/home/ben/mine > ~/app/.env",
        "!cp ~/mine/settings.json ~/app/.ipuaro.json",
        "!cp ~/mine/settings.json ~/.local/share/ipuaro/settings.json",
        "%env IPUARO_HOME=/home/ben/mine",
    ],
)
def test_what_the_administrator_locked_stays_locked(kernels, attempt):
    kernel = kernels["ben"]
    mine = {"approve": "all", "commands": {"sandbox": "off"}, "mcpServers": {"x": {"command": "x"}}}
    kernel.run(f"!mkdir -p ~/mine; echo '{json.dumps(mine)}' > ~/mine/settings.json")
    kernel.run(attempt)
    try:
        opened = kernel.run("%ipuaro start ~/app --approve all").text
        config = kernel.run("%ipuaro config --changed").text
    finally:
        kernel.run("!rm -f ~/app/.env ~/app/.ipuaro.json ~/.local/share/ipuaro/settings.json")
    assert "/etc/ipuaro/settings.json overrides these settings of yours: approve" in opened
    rows = dict(re.findall(r"^(\S+) +(\S.*?)  ", config, re.MULTILINE))
    assert rows["approve"] == '"edits"'
    assert rows["commands.sandbox"] == '"required"'
    assert rows["mcpServers"] == "{}"


def test_weights_in_the_shared_folder_are_there_for_all(kernels):
    for kernel in kernels.values():
        kernel.run("%ipuaro start ~/app")
        assert "On this machine: gguf:Qwen/Q-GGUF/q4.gguf." in kernel.run("%ipuaro model").text


def test_a_user_logs_in_with_a_password(hub):
    with httpx.Client(base_url=hub.url, follow_redirects=True) as browser:
        browser.get("/hub/login")
        form = {"username": "ada", "_xsrf": browser.cookies["_xsrf"]}
        assert browser.post("/hub/login", data={**form, "password": "wrong"}).status_code == 403
        page = browser.post("/hub/login", data={**form, "password": "password-of-ada"})
    assert page.url.path == "/user/ada/lab"


@pytest.mark.skipif(
    not CHROMIUM.exists() or sync_playwright is None, reason="there is no Chromium or no playwright"
)
def test_a_user_asks_and_decides_in_the_browser(hub):
    file = {"type": "notebook", "format": "json"}
    file["content"] = json.loads(notebook(*(("code", one) for one in CELLS), kernelspec=KERNEL))
    hub.client.put("/user/ben/api/contents/talk.ipynb", json=file).raise_for_status()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.set_default_timeout(60_000)
        page.goto(f"{hub.url}/hub/login?next=/user/ben/lab/tree/talk.ipynb")
        page.get_by_label("Username").fill("ben")
        page.get_by_label("Password").fill("password-of-ben")
        page.get_by_role("button", name="Sign in").click()
        # JupyterLab forgets all but the first of the cells that are run before it is connected.
        page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
        cells = page.locator(".jp-Notebook .jp-Cell")
        cells.first.click()
        for _ in CELLS:
            page.keyboard.press("Shift+Enter")
        cells.nth(1).get_by_text("3 files, 3 symbols").wait_for()
        cells.nth(2).get_by_text("src/f2.ts").first.wait_for()
        cells.nth(3).get_by_role("button", name="Reject", exact=True).click()
        cells.nth(3).get_by_text("Rejected").first.wait_for()
        browser.close()
