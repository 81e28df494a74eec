"""The file that a Rust path means."""

import pytest

from ipuaro_jupyter.index.resolve.resolver import Resolver

FILES = {
    "Cargo.toml": '[workspace]\nmembers = ["docks", "crane-hook"]\n',
    "docks/Cargo.toml": '[package]\nname = "docks"\n[dependencies]\n'
    'hook = { package = "crane-hook", path = "../crane-hook" }\n'
    '[[bin]]\nname = "x"\npath = "bins/x.rs"\n',
    "docks/src/lib.rs": "",
    "docks/src/main.rs": "",
    "docks/src/store.rs": "",
    "docks/src/store/disk.rs": "",
    "docks/src/old/mod.rs": "",
    "docks/src/old/deep.rs": "",
    "docks/src/bin/tool.rs": "",
    "docks/src/bin/large/main.rs": "",
    "docks/src/bin/large/part.rs": "",
    "docks/tests/all.rs": "",
    "docks/tests/common/mod.rs": "",
    "docks/bins/x.rs": "",
    "docks/bins/beside.rs": "",
    "docks/src/unix/sys.rs": "",
    "crane-hook/Cargo.toml": '[package]\nname = "crane-hook"\n[lib]\npath = "lib/hook.rs"\n',
    "crane-hook/lib/hook.rs": "",
    "crane-hook/lib/eye.rs": "",
}
LIB, STORE, DISK = "docks/src/lib.rs", "docks/src/store.rs", "docks/src/store/disk.rs"
OLD, DEEP = "docks/src/old/mod.rs", "docks/src/old/deep.rs"
HOOK, EYE = "crane-hook/lib/hook.rs", "crane-hook/lib/eye.rs"


@pytest.mark.parametrize(
    ("importer", "source", "names", "expected"),
    [
        (LIB, "self::store", ["*"], {STORE}),  # mod store;
        (LIB, "self::old", ["*"], {OLD}),
        (STORE, "self::disk", ["*"], {DISK}),
        (OLD, "self::deep", ["*"], {DEEP}),
        (DEEP, "crate::store", ["Store", "disk"], {STORE, DISK}),
        (DEEP, "crate::store", ["disk"], {DISK}),
        (DEEP, "crate::store::disk::Disk", ["new"], {DISK}),
        (DEEP, "crate", ["store", "Top"], {STORE, LIB}),
        (DEEP, "super", ["Old"], {OLD}),
        (DEEP, "super::super", ["Top"], {LIB}),
        (DISK, "super", ["Store"], {STORE}),
        (DISK, "super::super::old", ["deep"], {DEEP}),
        (LIB, "store", ["Store"], {STORE}),
        (LIB, "unix/sys.rs", ["*"], {"docks/src/unix/sys.rs"}),
        (LIB, "unix/none.rs", ["*"], set()),
        (LIB, "hook::eye", ["Eye"], {EYE}),
        (LIB, "hook", ["Hook"], {HOOK}),
        (EYE, "crate", ["Hook"], {HOOK}),
        ("docks/src/main.rs", "docks::store", ["Store"], {STORE}),
        ("docks/src/main.rs", "crate::store", ["Store"], {STORE}),
        ("docks/tests/all.rs", "docks", ["Top"], {LIB}),
        ("docks/tests/all.rs", "self::common", ["*"], {"docks/tests/common/mod.rs"}),
        ("docks/src/bin/large/main.rs", "self::part", ["*"], {"docks/src/bin/large/part.rs"}),
        ("docks/src/bin/large/part.rs", "crate", ["X"], {"docks/src/bin/large/main.rs"}),
        ("docks/bins/x.rs", "self::beside", ["*"], {"docks/bins/beside.rs"}),
        (LIB, "std::collections", ["HashMap"], set()),
        (LIB, "serde", ["*"], set()),
    ],
)
def test_a_path_leads_to_the_last_file_on_it(importer, source, names, expected):
    found = Resolver(FILES, FILES.get).resolve(source, importer, names=names)
    assert found.targets == expected


@pytest.mark.parametrize("config", ["", "[package", "[lib]\nname = 1\n"])
def test_without_a_package_the_files_still_find_one_another(config):
    files = {"Cargo.toml": config, "src/lib.rs": "", "src/a.rs": "", "src/b.rs": ""}
    resolver = Resolver(files, files.get)
    assert resolver.resolve("crate::b", "src/a.rs", names=["B"]).targets == {"src/b.rs"}
    assert resolver.resolve("self::a", "src/lib.rs", names=["*"]).targets == {"src/a.rs"}
