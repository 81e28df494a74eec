"""References of a name with several declarations, and of members on what has no known type."""

import pytest

TWO = {
    "src/cat.ts": "export class Cat {\n  say() {}\n}\nexport function make() {}\n",
    "src/dog.ts": "export class Dog {\n  say() {}\n}\nexport function make() {}\n",
    "src/use.ts": "import { Cat, make } from './cat'\nimport { Dog } from './dog'\n"
    "new Cat().say()\nnew Dog().say()\nlet x: any\nx.say()\nmake()\n",
    "src/again.ts": "export { make } from './dog'\n",
}


@pytest.fixture
def found(run):
    """Return a function from arguments to the references found in TWO, as (place, declaration)."""
    call = run(TWO)

    def find(**arguments):
        result = call("find_references", arguments)
        assert result.success, result
        return result.output

    return find


def places(uses):
    return [f"{use.path}:{use.line}" for use in uses]


def test_each_use_names_the_declaration_that_it_stands_for(found):
    output = found(symbol="say")
    assert output.total_references == 5
    assert [(f"{u.path}:{u.line}", u.declared_in, u.declared_as) for u in output.references] == [
        ("src/cat.ts:2", "src/cat.ts", "Cat.say"),
        ("src/dog.ts:2", "src/dog.ts", "Dog.say"),
        ("src/use.ts:3", "src/cat.ts", "Cat.say"),
        ("src/use.ts:4", "src/dog.ts", "Dog.say"),
        ("src/use.ts:6", None, None),
    ]
    assert output.to_dict()["references"][2]["declaredIn"] == "src/cat.ts"
    assert "declaredIn" not in output.to_dict()["references"][4]


def test_the_text_and_the_view_are_grouped_by_declaration(found):
    output = found(symbol="say")
    text = output.text()
    headings = ["Uses of src/cat.ts: Cat.say", "Uses of src/dog.ts: Dog.say", "By name only"]
    at = [text.index(f"\n{heading}:\n") for heading in headings]
    assert at == sorted(at)
    assert "Declared 2 times: src/cat.ts: Cat.say, src/dog.ts: Dog.say." in text
    drawn = output.shape()
    assert drawn.columns[-1] == "declaration"
    assert [row[-1] for row in drawn.rows] == [
        *["src/cat.ts: Cat.say"] * 2,
        *["src/dog.ts: Dog.say"] * 2,
        "not known",
    ]
    assert [place.line for place in drawn.places] == [2, 3, 2, 4, 6]


def test_the_declaration_can_be_chosen_by_its_file(found):
    output = found(symbol="make", declared_in="src/cat.ts")
    assert places(output.references) == ["src/cat.ts:4", "src/use.ts:1", "src/use.ts:7"]
    assert {use.declared_in for use in output.references} == {"src/cat.ts"}
    assert places(found(symbol="make", declared_in="src/dog.ts").references) == [
        "src/again.ts:1",
        "src/dog.ts:4",
    ]
    assert "Declared" not in output.text()


def test_a_file_that_exports_it_from_another_means_that_one(found):
    through = found(symbol="make", declared_in="src/again.ts")
    assert through.references == found(symbol="make", declared_in="src/dog.ts").references


@pytest.mark.parametrize("tool", ["find_references", "find_definition"])
def test_a_file_that_does_not_declare_it_is_an_error_that_says_who_does(run, tool):
    call = run(TWO)
    error = call(tool, {"symbol": "make", "declared_in": "src/use.ts"}).error
    assert error.type == "validation"
    assert "make (src/cat.ts:4), make (src/dog.ts:4)" in error.suggestion
    error = call(tool, {"symbol": "makes", "declared_in": "src/use.ts"}).error
    assert "Did you mean" in error.suggestion


def test_a_definition_can_be_chosen_by_its_file(run):
    call = run(TWO)
    given = {"symbol": "make", "declared_in": "src/dog.ts"}
    output = call("find_definition", given).output
    assert [one.path for one in output.definitions] == ["src/dog.ts"]


def test_places_that_may_be_a_use_are_counted_apart(found):
    output = found(symbol="Cat.say")
    assert places(output.references) == ["src/cat.ts:2", "src/use.ts:3"]
    assert (output.total_references, output.total_unresolved) == (2, 1)
    assert places(output.unresolved) == ["src/use.ts:6"]
    text = output.text()
    assert "Not resolved:\nsrc/use.ts" in text
    assert "1 more place named say could not be resolved" in text
    assert "could not be resolved" in output.shape().note
    assert found(symbol="say", declared_in="src/cat.ts").unresolved == output.unresolved


def test_the_limit_cuts_what_is_listed_and_not_the_counts(run):
    files = {**TWO, "src/x.ts": "let y: any\n" + "y.say()\n" * 30}
    output = run(files)("find_references", {"symbol": "Cat.say", "limit": 3}).output
    assert (output.total_unresolved, len(output.unresolved)) == (31, 3)
    assert not output.truncated


@pytest.mark.parametrize(
    "line",
    [
        "function say() {}\nsay()\n",
        "const say = 1\nlog(say)\n",
        "import { Dog } from './dog'\nnew Dog().say()\n",
        "import { say } from 'elsewhere'\nsay()\n",
    ],
)
def test_places_that_stand_for_something_else_are_no_open_ones(run, line):
    files = {"src/cat.ts": TWO["src/cat.ts"], "src/dog.ts": TWO["src/dog.ts"], "src/z.ts": line}
    output = run(files)("find_references", {"symbol": "Cat.say"}).output
    assert (output.total_references, output.unresolved) == (1, ())


PACKAGE = {
    "src/web/__init__.py": "from ._api import get\nfrom ._client import Client as Client\n",
    "src/web/_api.py": "def get(): ...\n",
    "src/web/_client.py": "class Client:\n    def get(self): ...\n",
    "tests/test_web.py": "import web\n\nweb.get()\nweb.Client().get()\n",
}


@pytest.mark.parametrize(
    ("symbol", "declared"),
    [
        ("web.get", "src/web/_api.py: get"),
        ("web._api.get", "src/web/_api.py: get"),
        ("web.Client.get", "src/web/_client.py: Client.get"),
        ("web._client.Client.get", "src/web/_client.py: Client.get"),
        ("web.Client", "src/web/_client.py: Client"),
    ],
)
def test_a_name_behind_a_python_module_is_found(run, symbol, declared):
    output = run(PACKAGE)("find_references", {"symbol": symbol}).output
    assert output.declarations == (declared,)
    assert "tests/test_web.py" in {use.path for use in output.references}


def test_a_name_behind_a_namespace_is_found(run):
    files = {
        "all.ts": "export * as pets from './cat'\n",
        "cat.ts": "export function feed() {}\n",
        "use.ts": "import { pets } from './all'\npets.feed()\n",
    }
    output = run(files)("find_references", {"symbol": "pets.feed"}).output
    assert output.declarations == ("cat.ts: feed",)
    assert places(output.references) == ["cat.ts:1", "use.ts:2"]


def test_nothing_found_is_said_to_be_known(run):
    call = run(PACKAGE)
    nowhere = call("find_references", {"symbol": "nowhere"}).output
    assert "No code here has the name nowhere." in nowhere.text()
    unknown = call("find_references", {"symbol": "web.Server.get"}).output
    assert unknown.total_references == 0
    assert "No declaration of web.Server.get is known here." in unknown.text()
    assert places(unknown.unresolved) == []
    unknown = call("find_references", {"symbol": "Server.get"}).output
    assert unknown.total_references == 0


def test_uses_of_a_global_of_one_of_several_scripts_are_listed_as_not_resolved(run):
    script = "function make() {}\n"
    call = run({"a.js": script, "b.js": script, "use.ts": "export const x = make()\n"})
    result = call("find_references", {"symbol": "make", "declared_in": "a.js"})
    assert places(result.output.unresolved) == ["use.ts:1"]
    assert "may mean something else of that name" in result.text()


HEIRS = {
    "a.ts": "export interface Sink { emit(): void }\n"
    "export class File implements Sink { emit() {} other() {} }\n",
    "u.ts": "import { type Sink } from './a'\nexport const f = (s: Sink) => s.emit()\n",
    "p.py": "class Base:\n    def run(self): ...\nclass Heir(Base):\n    def run(self): ...\n",
}


@pytest.mark.parametrize(
    ("symbol", "told"),
    [
        ("File.emit", "overrides a.ts: Sink.emit: uses of that may mean it, too"),
        ("Heir.run", "overrides p.py: Base.run: uses of that may mean it, too"),
        ("File.other", ""),
        ("Sink.emit", ""),
        ("emit", ""),
    ],
)
def test_what_a_member_overrides_is_told(run, symbol, told):
    output = run(HEIRS)("find_references", {"symbol": symbol}).output
    assert (f"[{told}]" in output.text()) == bool(told)
    assert ("overrides" in output.text()) == bool(told)
    assert ("overrides" in output.shape().note) == bool(told)


def test_that_the_bases_of_many_members_are_not_looked_at_is_told(run):
    heirs = {f"h{n}.ts": "class A { go() {} }\nclass B extends A { go() {} }\n" for n in range(21)}
    output = run(heirs)("find_references", {"symbol": "B.go"}).output
    assert output.overridden is None
    assert "[what they override was not looked at: there are many of that name]" in output.text()
    assert "what they override was not looked at" in output.shape().note


INHERITED = {
    "a.ts": "export class A { x = 1 }\n",
    "b.ts": "import { A } from './a'\nexport class B extends A { own = 2 }\n",
    "u.ts": "import { B } from './b'\nnew B().x = 5\nlet q: any\nq.x\n",
    "p.py": "class A:\n    def run(self): ...\nclass B(A): ...\nclass C(B): ...\n",
    "u.py": "from p import C\nC().run()\n",
}


@pytest.mark.parametrize(
    ("asked", "declared", "used", "open_"),
    [
        ({"symbol": "B.x"}, "a.ts: A.x", ["a.ts:1", "u.ts:2"], ["u.ts:4"]),
        ({"symbol": "B.x", "declared_in": "b.ts"}, "a.ts: A.x", ["a.ts:1", "u.ts:2"], ["u.ts:4"]),
        ({"symbol": "C.run"}, "p.py: A.run", ["p.py:2", "u.py:2"], []),
    ],
)
def test_uses_of_an_inherited_member_are_those_of_its_declaration(
    run, asked, declared, used, open_
):
    output = run(INHERITED)("find_references", asked).output
    assert output.declarations == (declared,)
    assert places(output.references) == used
    assert places(output.unresolved) == open_
    owner, name = asked["symbol"].split(".")
    assert f"\n{owner} has {name} from {declared}.\n" in output.text()


def test_a_member_that_no_base_declares_is_not_known(run):
    call = run(INHERITED)
    unknown = call("find_references", {"symbol": "B.none"}).output
    assert (unknown.inherited, unknown.declarations) == (False, ())
    own = call("find_references", {"symbol": "B.own"}).output
    assert (own.inherited, own.declarations) == (False, ("b.ts: B.own",))
