import pytest
from annotated import project_files

SOURCE = project_files("get_class")["carrier.ts"]


def test_documented_fields(run):
    result = run({"c.ts": SOURCE})("get_class", {"path": "c.ts", "name": "Carrier"})
    found = result.to_dict()["output"]
    assert (found["lineStart"], found["lineEnd"]) == (1, 11)
    assert found["isAbstract"] is True
    assert found["isExported"] is True
    assert found["extends"] == "Base<T>"
    assert found["implements"] == ["Trackable", "ns.Priced<T>"]
    methods = {m["name"]: m for m in found["methods"]}
    assert set(methods) == {"constructor", "weight", "quote", "load"}
    assert methods["load"] == {
        "name": "load",
        "isStatic": True,
        "isAsync": True,
        "params": ["id", "deep"],
    }
    properties = {p["name"]: p for p in found["properties"]}
    assert set(properties) == {"LIMIT", "#secret", "code", "rename"}
    assert properties["LIMIT"] == {"name": "LIMIT", "isStatic": True, "isReadonly": True}


def test_not_found_lists_the_classes(run):
    error = run({"c.ts": SOURCE})("get_class", {"path": "c.ts", "name": "Carier"}).error
    assert "Carrier" in error.suggestion


@pytest.mark.parametrize(
    ("name", "kind"), [("Trackable", "an interface: read"), ("Weights", "a type alias: read")]
)
def test_another_type_is_named_as_what_it_is(run, name, kind):
    error = run({"c.ts": SOURCE})("get_class", {"path": "c.ts", "name": name}).error
    assert error.suggestion.startswith(f"{name} is {kind} it with get_lines from line 1")
