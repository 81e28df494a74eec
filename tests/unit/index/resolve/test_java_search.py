"""The files that a Java import means."""

import pytest

from ipuaro_jupyter.index.resolve.resolver import Resolver

MAIN, TEST = "docks/src/main/java/com/example", "docks/src/test/java/com/example"
FILES = {
    f"{MAIN}/docks/Harbour.java": "",
    f"{MAIN}/docks/Parcel.java": "",
    f"{MAIN}/crane/Hook.java": "",
    f"{TEST}/docks/Parcel.java": "",
    f"{TEST}/docks/HarbourTest.java": "",
    "other/com/example/crane/Hook.java": "",
    "other/com/example/crane/Rope.java": "",
    "Plain.java": "",
    "Beside.java": "",
}
HARBOUR, PARCEL, HOOK = (
    f"{MAIN}/{name}.java" for name in ("docks/Harbour", "docks/Parcel", "crane/Hook")
)


@pytest.mark.parametrize(
    ("importer", "source", "names", "expected"),
    [
        (HARBOUR, "com.example.crane", ["Hook"], {HOOK}),
        (HARBOUR, "com.example.crane.Hook", ["lift"], {HOOK}),  # import static
        (HARBOUR, "com.example.crane.Hook", ["Eye"], {HOOK}),  # a nested type
        (HARBOUR, "com.example.crane.Hook.Eye", ["*"], {HOOK}),
        (HARBOUR, "com.example.docks", ["Parcel", "Harbour", "String"], {PARCEL}),  # its own
        (HARBOUR, "com.example.crane", ["*", "Hook", "List"], {HOOK}),
        (HARBOUR, "com.example.crane", ["Rope"], {"other/com/example/crane/Rope.java"}),
        (f"{TEST}/docks/HarbourTest.java", "com.example.docks", ["Harbour"], {HARBOUR}),
        (
            f"{TEST}/docks/HarbourTest.java",
            "com.example.docks",
            ["Parcel"],
            {f"{TEST}/docks/Parcel.java"},
        ),
        (
            "other/com/example/crane/Rope.java",
            "com.example.crane",
            ["Hook"],
            {"other/com/example/crane/Hook.java"},
        ),
        (HARBOUR, "java.util", ["List"], set()),
        (HARBOUR, "ample.crane", ["Hook"], set()),
    ],
)
def test_a_type_is_the_file_of_its_name(importer, source, names, expected):
    assert Resolver(FILES, FILES.get).resolve(source, importer, names=names).targets == expected


@pytest.mark.parametrize(
    ("statement", "is_found"),
    [
        ("package a.b;", True),
        ("\ufeff// package no;\n/* package no; * */\n package a . b ;", True),
        ("package a;", False),
        ("class package { } package a.b;", False),
        ("/* never closed package a.b;", False),
        ("", False),
    ],
)
def test_a_file_elsewhere_is_of_the_package_that_it_says(statement, is_found):
    files = {"src/x/Y.java": statement, "src/Use.java": "", "src/x/Other.java": "package a.b;"}
    found = Resolver(files, files.get).resolve("a.b", "src/Use.java", names=["Y"]).targets
    assert found == ({"src/x/Y.java"} if is_found else set())


def test_a_file_in_the_folder_of_its_package_is_nearer_than_what_others_say():
    files = {"a/b/Y.java": "", "src/x/Y.java": "package a.b;", "src/x/Use.java": ""}
    found = Resolver(files, files.get).resolve("a.b", "src/x/Use.java", names=["Y"])
    assert found.targets == {"a/b/Y.java"}
