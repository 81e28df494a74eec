import pytest

from ipuaro_jupyter.workspace.sandbox.key_places import (
    homes,
    key_places,
    settings_with_keys,
    without_keys,
)


def test_places_that_exist_are_found_in_the_home(tmp_path):
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".netrc").touch()
    (tmp_path / ".npmrc").touch()
    (tmp_path / ".config/pypoetry").mkdir(parents=True)
    (tmp_path / ".config/pypoetry/auth.toml").touch()
    (tmp_path / "src").mkdir()
    variables = {"HOME": str(tmp_path)}
    found = [place for place in key_places(variables) if place.is_relative_to(tmp_path)]
    assert found == [
        tmp_path / ".ssh",
        tmp_path / ".netrc",
        tmp_path / ".config/pypoetry/auth.toml",
    ]
    assert tmp_path / ".npmrc" in settings_with_keys(variables)


def test_places_that_variables_name_are_found(tmp_path):
    for name in ("a", "b", "creds", "rc"):
        (tmp_path / name).touch()
    variables = {
        "KUBECONFIG": f"{tmp_path}/a:{tmp_path}/b",
        "AWS_SHARED_CREDENTIALS_FILE": f"{tmp_path}/creds",
        "NETRC": "relative",
        "npm_config_userconfig": f"{tmp_path}/rc",
    }
    assert {tmp_path / "a", tmp_path / "b", tmp_path / "creds"} <= {*key_places(variables)}
    assert tmp_path / "rc" in settings_with_keys(variables)


def test_links_are_followed(tmp_path):
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / ".ssh").symlink_to("dotfiles")
    assert tmp_path / "dotfiles" in key_places({"HOME": str(tmp_path)})


def test_root_folder_is_no_home():
    assert all(len(place.parts) > 1 for place in homes({"HOME": "/"}))


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("registry=https://npm.example.com/", "registry=https://npm.example.com/"),
        ("//npm.example.com/:_authToken=npm_0123", None),
        ("//npm.example.com/:_password=cGFzcw==", None),
        ("_auth = bWU6cGFzcw==", None),
        ("npmAuthToken: abc", None),
        ('    npmAuthIdent: "bWU6cGFzcw"', None),
        ('"//npm.example.com/:_authToken" "abc"', None),
        ("index-url = https://abc0123@host/simple", "index-url = https://host/simple"),
        ("index-url = https://me:p@ss@host/simple", "index-url = https://host/simple"),
        ("registry = https://host/@scope", "registry = https://host/@scope"),
        ("  - https://conda.example.com/t/ab-0123/main", "  - https://conda.example.com/main"),
        ('  - "https://conda.example.com/t/ab-0123"', '  - "https://conda.example.com"'),
        ("cafile=/etc/ca.pem", "cafile=/etc/ca.pem"),
        ("index-url = https://me:pw@host/simple", "index-url = https://host/simple"),
        (
            "npmRegistryServer: https://npm.example.com",
            "npmRegistryServer: https://npm.example.com",
        ),
        ("[global]", "[global]"),
        ("", ""),
    ],
)
def test_settings_lose_their_secrets(tmp_path, line, kept):
    file = tmp_path / "rc"
    file.write_text(f"first=1\n{line}\n")
    assert without_keys(file) == "first=1\n" + ("" if kept is None else f"{kept}\n")


def test_settings_that_cannot_be_read_are_empty(tmp_path):
    assert without_keys(tmp_path / "missing") == ""
    (tmp_path / "large").write_text("a=b\n" * 300_000)
    assert without_keys(tmp_path / "large") == ""
