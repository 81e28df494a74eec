"""The places of keys, tokens and passwords in a home, and what may be read of some of them.

A folder that is not in the list may hold keys as well: what is listed are the usual places of
widespread programs.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from ipuaro_jupyter.small_file import read_small
from ipuaro_jupyter.store.user_folders import home as own_folder
from ipuaro_jupyter.workspace.processes.environment import looks_secret
from ipuaro_jupyter.workspace.sandbox.confinement import real_places

_FOLDERS = (
    # keys and passwords
    *(".ssh", ".gnupg", ".password-store", ".local/share/keyrings", ".local/share/kwalletd"),
    *(".config/sops", ".config/age", ".config/op", ".config/Bitwarden", ".config/keepassxc"),
    *(".pki", "Library/Keychains"),
    # clouds and servers
    *(".aws", ".azure", ".kube", ".docker", ".config/gcloud", ".config/containers", ".oci"),
    *(".config/doctl", ".config/hcloud", ".config/heroku", ".config/netlify", ".config/rclone"),
    *(".config/gh", ".config/hub", ".config/glab-cli", ".terraform.d", ".pulumi", ".fly"),
    *(".vercel", ".wrangler", ".config/stripe", ".config/configstore", ".local/share/com.vercel"),
    # models and other assistants
    *(".ollama/id_ed25519", ".kaggle", ".codex", ".claude", ".gemini", ".config/github-copilot"),
    # browsers and mail, with their cookies
    *(".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium", ".config/vivaldi"),
    *(".config/BraveSoftware", ".config/microsoft-edge", ".config/opera", "snap/firefox"),
    *("Library/Application Support/Google/Chrome", "Library/Application Support/Firefox"),
    *("Library/Cookies", "Library/Safari", "Library/Mail", "Library/Messages"),
    # the keys of running kernels and servers
    *(".local/share/jupyter/runtime", "Library/Jupyter/runtime"),
)
_FILES = (
    *(".netrc", "_netrc", ".git-credentials", ".config/git/credentials", ".pgpass", ".my.cnf"),
    *(".mylogin.cnf", ".pypirc", ".dockercfg", ".boto", ".s3cfg", ".vault-token", ".claude.json"),
    *(".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".m2/settings.xml"),
    *(".m2/settings-security.xml", ".gradle/gradle.properties", ".composer/auth.json"),
    *(".config/pypoetry/auth.toml", "Library/Application Support/pypoetry/auth.toml"),
    *(".config/composer/auth.json", ".cache/huggingface/token", ".huggingface/token"),
    *(".jupyter/jupyter_server_config.json", ".Xauthority", ".ICEauthority"),
    # what was typed
    *(".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history"),
    *(".mysql_history", ".rediscli_history", ".local/share/fish/fish_history"),
)
_SETTINGS = (
    # package managers need these, so they are read without their secrets
    *(
        ".npmrc",
        ".yarnrc",
        ".yarnrc.yml",
        ".config/pip/pip.conf",
        ".pip/pip.conf",
        ".config/pnpm/rc",
    ),
    *("Library/Application Support/pip/pip.conf", ".condarc", ".config/uv/uv.toml"),
)
_VARIABLES = (
    *("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE", "KUBECONFIG", "DOCKER_CONFIG", "GNUPGHOME"),
    *("NETRC", "PGPASSFILE", "GOOGLE_APPLICATION_CREDENTIALS", "AZURE_CONFIG_DIR", "GH_CONFIG_DIR"),
    *("CLOUDSDK_CONFIG", "PASSWORD_STORE_DIR", "JUPYTER_RUNTIME_DIR", "XAUTHORITY"),
)
_SETTINGS_VARIABLES = ("NPM_CONFIG_USERCONFIG", "npm_config_userconfig", "PIP_CONFIG_FILE")
_NAMED_VALUE = re.compile(r"\s*[\"']?([^\s=]*?[\w-])[\"']?\s*(?:=|:\s|\s)\s*(.*)")
_LARGEST_BYTES = 1_000_000
_LOGIN = re.compile(r"(://)[^/\s]{1,4000}@")  # a token may stand where a name does
_CONDA_TOKEN = re.compile(r"(://[^\s\"']{1,400}?)/t/[^/\s\"',\]]+")
_LOGIN_NAME = re.compile(r"auth_?ident$", re.IGNORECASE)


def homes(variables: Mapping[str, str]) -> list[Path]:
    """The user's home folders: the one that the environment names, and that of the account."""
    import pwd  # noqa: PLC0415 - Windows has none, where nothing of this is called

    named = [variables.get("HOME", "")]
    with suppress(KeyError):  # a container may run as a user that has no account
        named.append(pwd.getpwuid(os.getuid()).pw_dir)
    return [place for place in real_places(named) if place != Path("/")]


def key_places(variables: Mapping[str, str]) -> list[Path]:
    """The existing places of keys of the user, and our own folder."""
    named = [str(own_folder())]
    named += _in_homes(variables, (*_FOLDERS, *_FILES))
    named += [
        place
        for name in _VARIABLES
        for place in variables.get(name, "").split(os.pathsep if name == "KUBECONFIG" else "\0")
    ]
    return real_places(named)


def settings_with_keys(variables: Mapping[str, str]) -> list[Path]:
    """The existing settings of package managers that may hold keys among other things."""
    named = [*_in_homes(variables, _SETTINGS)]
    named += [variables.get(name, "") for name in _SETTINGS_VARIABLES]
    return [place for place in real_places(named) if place.is_file()]


def without_keys(settings: Path) -> str:
    """The text of settings without the lines and the parts of addresses that hold secrets.

    Empty when it cannot be read, or is too long for settings.
    """
    try:
        text = read_small(settings, largest=_LARGEST_BYTES)
    except OSError:
        return ""
    lines = text.decode("utf-8", "replace").splitlines()
    return "".join(f"{line}\n" for line in _without_secrets(lines))


def _without_secrets(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        shown = _CONDA_TOKEN.sub(r"\1", _LOGIN.sub(r"\1", line))
        found = _NAMED_VALUE.match(shown)
        name, value = found.groups() if found else ("", shown)
        # "//host/:_authToken=…": the name of a key comes last
        last = re.split(r"[:/]", name)[-1]
        if not (_LOGIN_NAME.search(last) or looks_secret(last, value)):
            yield shown


def _in_homes(variables: Mapping[str, str], names: Iterable[str]) -> list[str]:
    return [str(home / name) for home in homes(variables) for name in names]
