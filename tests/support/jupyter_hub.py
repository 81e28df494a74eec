"""A real JupyterHub with users of a machine of its own, and their kernels."""

import importlib.util
import json
import os
import secrets
import shutil
import subprocess
import sys
import uuid
from pathlib import Path

import httpx
import websocket
from kept_logs import keep_logs
from kernels import Ran
from servers import become, free_port

CONFIG = """
c.JupyterHub.bind_url = "{url}"
c.JupyterHub.hub_port = {hub_port}
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{proxy_port}"
c.JupyterHub.services = [{{"name": "test", "api_token": "{token}"}}]
c.JupyterHub.load_roles = [{{
    "name": "test",
    "scopes": ["admin:users", "admin:servers", "access:servers"],
    "services": ["test"],
}}]
"""
NAMESPACES = ("--mount", "--pid", "--fork", "--kill-child", "--mount-proc")


def missing():
    """What a hub with users needs and this machine lacks; "" when nothing."""
    if importlib.util.find_spec("jupyterhub") is None:
        return "jupyterhub is not installed: it is in the extra `dev`"
    if shutil.which("configurable-http-proxy") is None:
        return "no configurable-http-proxy: npm install -g configurable-http-proxy"
    if os.geteuid() != 0:
        return "only root can add users"
    tried = subprocess.run(["unshare", *NAMESPACES, "true"], check=False, capture_output=True)
    return "" if tried.returncode == 0 else "namespaces are not allowed here"


class HubKernel:
    """A kernel of a user, which runs cells through the hub's proxy."""

    def __init__(self, hub, user):
        self._hub, self._user, self._session = hub, user, uuid.uuid4().hex
        kernels = f"/user/{user}/api/kernels"
        made = hub.client.post(kernels, json={}).raise_for_status().json()
        self._path = f"{kernels}/{made['id']}"
        self._socket = websocket.create_connection(
            f"ws{hub.url[4:]}{self._path}/channels?session_id={self._session}",
            header=hub.headers,
            timeout=120,
        )

    def run(self, code):
        """Run a cell to its end."""
        asked = uuid.uuid4().hex
        header = {
            "msg_id": asked,
            "msg_type": "execute_request",
            "username": self._user,
            "session": self._session,
            "version": "5.3",
            "date": "2026-01-01T00:00:00Z",
        }
        content = {"code": code, "silent": False, "store_history": True, "allow_stdin": False}
        message = {
            "header": header,
            "parent_header": {},
            "metadata": {},
            "channel": "shell",
            "content": content,
        }
        self._socket.send(json.dumps(message))
        ran, waiting = Ran(), {"reply", "idle"}
        while waiting:
            got = json.loads(self._socket.recv())
            if got["parent_header"].get("msg_id") != asked:
                continue
            ran.take(got)
            if got["msg_type"] == "execute_reply":
                ran.reply = got["content"]
                waiting.discard("reply")
            elif got["content"].get("execution_state") == "idle":
                waiting.discard("idle")
        return ran

    def close(self):
        """End the kernel."""
        self._socket.close()
        self._hub.client.delete(self._path).raise_for_status()


class Hub:
    """A hub that runs; its users have servers once they are asked for."""

    def __init__(self, folder, users, *, config, setup):
        self._folder = folder
        token = secrets.token_hex(16)
        self.url = f"http://127.0.0.1:{free_port()}"
        self.headers = {"Authorization": f"token {token}"}
        self.client = httpx.Client(base_url=self.url, headers=self.headers, timeout=120)
        places = {"url": self.url, "hub_port": free_port(), "proxy_port": free_port()}
        (folder / "config.py").write_text(config + CONFIG.format(**places, token=token))
        (folder / "setup.sh").write_text(setup)
        machine = Path(__file__).with_name("users_machine.py")
        program = (sys.executable, "-m", "jupyterhub", "--config", folder / "config.py")
        environment = {key: os.environ[key] for key in ("PATH", "LANG") if key in os.environ}
        with (folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                [
                    "unshare",
                    *NAMESPACES,
                    sys.executable,
                    machine,
                    folder,
                    ",".join(users),
                    *program,
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=folder,
                env=environment,
            )

    def wait(self):
        """Wait until it answers."""

        def is_up():
            assert self._process.poll() is None, self.log
            try:
                return self.client.get("/hub/api/").is_success
            except httpx.TransportError:
                return False

        assert become(is_up, wait_s=60), self.log

    @property
    def log(self):
        return (self._folder / "log").read_text()

    def serve(self, user):
        """Start the user's server."""
        self.client.post(f"/hub/api/users/{user}/server").raise_for_status()

        def is_ready():
            model = self.client.get(f"/hub/api/users/{user}").json()
            return model["servers"].get("", {}).get("ready")

        assert become(is_ready, wait_s=90), self.log

    def kernel(self, user):
        """Start a kernel of the user, whose server runs."""
        return HubKernel(self, user)

    def close(self):
        """End it, and with it all processes on its machine; keep its log."""
        self.client.close()
        self._process.kill()
        self._process.wait()
        keep_logs(self._folder)
