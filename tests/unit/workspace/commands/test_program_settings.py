"""The settings in a project that decide what runs under a program's name."""

import pytest

from ipuaro_jupyter.workspace.commands.program_settings import deciding_settings


@pytest.fixture
def told(tmp_path):
    """Give a function that writes a file and says what decides about a program."""

    def write(name, file, text, **more):
        (tmp_path / file).write_text(text)
        for other, content in more.items():
            (tmp_path / other.replace("_", ".")).write_text(content)
        return deciding_settings(name, [tmp_path])

    return write


@pytest.mark.parametrize(
    ("name", "file", "text"),
    [
        ("npm", ".npmrc", "script-shell=./x\n"),
        ("npm", ".npmrc", "'script-shell' = ./x"),
        ("npm", ".npmrc", "; x\n save-exact=true\r node-options=--require ./x"),
        ("npm", ".npmrc", "[save-exact]\na=1"),
        ("npx", ".npmrc", "prefix=./x"),
        ("yarn", ".npmrc", "script-shell=./x\n"),
        ("yarn", ".yarnrc", 'yarn-path "x"'),
        ("yarn", ".yarnrc", 'save-prefix "~" yarn-path "x"'),
        ("yarn", ".yarnrc", "save-prefix, yarn-path x"),
        ("yarn", ".yarnrc", "--cwd x"),
        ("yarn", ".yarnrc.yml", "yarnPath: x"),
        ("yarn", ".yarnrc.yml", " yarnPath: x\n nodeLinker: pnp"),
        ("yarn", ".yarnrc.yml", "  nodeLinker: node-modules\n  yarnPath: ./evil.cjs\n"),
        ("yarn", ".yarnrc.yml", "# x\n---\n\n\tnodeLinker: pnp\n\tyarnPath: x"),
        ("yarn", ".yarnrc.yml", "nodeLinker: pnp\n---\n  nodeLinker: pnp\n  yarnPath: x"),
        ("pnpm", "pnpm-workspace.yaml", "  packages: []\n  scriptShell: ./evil"),
        ("yarn", ".yarnrc.yml", "{ yarnPath: x }"),
        ("yarn", ".yarnrc.yml", "--- { yarnPath: x }"),
        ("yarn", ".yarnrc.yml", "? yarnPath\n: x"),
        ("yarn", ".yarnrc.yml", "plugins:\n  - path: x"),
        ("yarn", ".corepack.env", "COREPACK_NPM_REGISTRY=x"),
        ("pnpm", "pnpm-workspace.yaml", "packages:\n  - a\nscriptShell: x"),
        ("pnpm", ".npmrc", "use-node-version=1"),
        ("pnpm", "package.json", '{"packageManager": "pnpm@https://example.test/x.tgz"}'),
        ("npm", "package.json", '{"packageManager": {}}'),
        ("cargo", "rust-toolchain.toml", "[toolchain]\npath = './x'"),
        ("rustc", "rust-toolchain", "./x"),
        ("node", ".tool-versions", "python 3.12\nnodejs path:./x"),
        ("python", ".python-version", "../../x"),
    ],
)
def test_what_decides_counts(told, name, file, text):
    (found, *_) = told(name, file, text)
    assert file in found


@pytest.mark.parametrize(
    ("name", "file", "text"),
    [
        ("npm", ".npmrc", "# x\nregistry=https://example.test/\n//example.test/:_authToken=abc"),
        ("npm", ".npmrc", "save-exact=true\n@mine:registry=https://example.test\nomit[]=dev\nfund"),
        ("yarn", ".yarnrc", 'save-prefix ""\n"ignore-engines" true\n# x'),
        ("yarn", ".yarnrc.yml", "---\nnodeLinker: node-modules\nnpmScopes:\n  a:\n    b: c\n"),
        ("pnpm", "pnpm-workspace.yaml", "packages:\n- a\n  - 'b/*'\n\ncatalog:\n  a: ^1\n"),
        ("pnpm", ".npmrc", "registry=https://example.test/"),
        ("yarn", "package.json", '{"packageManager": "yarn@4.1.0+sha512.ab"}'),
        ("npm", ".npmrc", "save-dev=true\nmaxsockets=3\nscope=@mine\nbefore=2026-01-01"),
        (
            "npm",
            "package.json",
            '{"devEngines": {"packageManager": {"name": "npm", "version": ">=10"}}}',
        ),
        ("pnpm", "package.json", '{"devEngines": {"packageManager": [{"name": "pnpm"}]}}'),
        ("npm", "package.json", "[]"),
        ("node", ".tool-versions", "nodejs 22.1.0\npython ref:v3"),
        ("python", ".python-version", "3.12.1/envs/app\n"),
        ("npm", "package.json", "{"),
        ("cargo", "rust-toolchain.toml", "[toolchain]\nchannel = '1.80'"),
        ("git", ".npmrc", "script-shell=x"),
    ],
)
def test_what_only_sets_other_things_does_not_count(told, name, file, text):
    assert told(name, file, text) == []


@pytest.mark.parametrize(
    "named",
    [
        '{"name": "pnpm", "version": "https://example.test/x.tgz"}',
        '{"name": "../x", "version": "1"}',
        '{"name": "pnpm", "version": "1", "bin": "x"}',
        '{"version": "1"}',
        '[{"name": "npm"}, "x"]',
        "1",
    ],
)
def test_an_odd_manager_is_told_with_its_key(told, named):
    package = f'{{"devEngines": {{"packageManager": {named}}}}}'
    assert told("npm", "package.json", package) == ["devEngines.packageManager in package.json"]


def test_a_registry_counts_for_a_manager_that_fetches_itself(told):
    package = '{"devEngines": {"packageManager": "pnpm@9"}}'
    assert told("pnpm", ".npmrc", "registry=x", package_json=package) == ["registry in .npmrc"]
    assert told("npm", ".npmrc", "registry=x", package_json=package) == []


def test_unreadable_settings_count_and_tell_no_secret(told, tmp_path):
    assert told("npm", ".npmrc", "//x/:_pass word=hidden!") == ["what cannot be read in .npmrc"]
    (tmp_path / ".yarnrc").mkdir()
    assert "what cannot be read in .yarnrc" in told("yarn", ".npmrc", "")


@pytest.mark.usefixtures("permissions_count")
def test_versions_that_cannot_be_read_decide_nothing(told, tmp_path):
    assert told("node", ".tool-versions", "nodejs path:./x") == ["a path in .tool-versions"]
    (tmp_path / ".tool-versions").chmod(0)  # so no version manager can either
    assert deciding_settings("node", [tmp_path]) == []
