"""What implements an interface, inherits from a class, or overrides a member."""

import pytest
from annotated import project_files

FILES = project_files("find_implementations")


@pytest.fixture
def found(shared):
    """Return a function from arguments to the output for FILES."""

    def ask(symbol, **more):
        result = shared("find_implementations", {"symbol": symbol, **more})
        assert result.success, result
        return result.output

    return ask


def told(output):
    return [f"{one.name}:{one.line} {one.way} {one.depth}" for one in output.implementations]


def test_interfaces_have_classes_interfaces_and_objects(found):
    output = found("Shape")
    assert told(output) == [
        "plain:5 typed 1",
        "make:6 typed 1",
        "cast:7 typed 1",
        "Both:14 implements 1",
        "Solid:2 extends 1",
        "Base:3 implements 1",
        "Square:3 extends 2",
        "Cube:4 implements 2",
        "Text:8 implements 2",
        "Mixed:10 mixin 2",
        "(without a name):11 extends 3",
    ]
    kinds = {one.name: one.kind for one in output.implementations}
    assert (kinds["Base"], kinds["Solid"], kinds["cast"]) == (
        "abstract class",
        "interface",
        "object",
    )
    assert [one.name for one in output.implementations if not one.certain] == ["Mixed"]
    assert "compared by structure" in output.text()
    assert output.shape().rows[0][:3] == ("src/more.ts:5", "plain", "object")


def test_members_are_overridden_in_classes_and_objects(found):
    output = found("Shape.area")
    assert told(output) == [
        "plain.area:5 overrides 1",
        "make.area:6 overrides 1",
        "cast.area:7 overrides 1",
        "Own.area:13 inherited 1",
        "Base.area:4 overrides 1",
        "Square.area:3 overrides 2",
        "Cube.area:4 overrides 2",
        "Text.area:8 overrides 2",
        "(without a name).area:11 overrides 3",
    ]
    (base,) = [one for one in output.implementations if one.name == "Base.area"]
    assert not base.has_body


def test_python_subclasses_and_overrides(found):
    assert told(found("Store")) == [
        "Memory:5 extends 1",
        "Disk:13 extends 1",
        "Other:17 registered 1",
        "Cached:9 extends 2",
    ]
    assert told(found("Store.get")) == ["Memory.get:6 overrides 1", "Disk.get:14 overrides 1"]
    assert told(found("Reader")) == ["Cached:9 extends 1"]
    assert "compared by structure" in found("Reader").text()
    assert "structure" not in found("Store").text()


def test_the_limit_counts_the_rest(found):
    output = found("Shape", limit=2)
    assert (len(output.implementations), output.total) == (2, 11)
    assert "9 more" in output.text()


def test_what_nothing_implements_has_none(found):
    assert found("Square", declared_in="src/more.ts").total == 1
    assert found("Cube").total == 0
