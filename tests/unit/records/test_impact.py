"""What is told of the tests that reach a change."""

from ipuaro_jupyter.records.impact import Impact, ReachedTest


def test_each_test_is_told_with_how_it_reaches_the_change():
    found = Impact(
        compared="the given diff",
        changed=("a.test.ts",),
        touched=(),
        reached=(),
        total_reached=0,
        files=(),
        direct_files=0,
        tests=(
            ReachedTest(path="user.test.ts", uses=True, distance=None),
            ReachedTest(path="a.test.ts", uses=False, distance=0),
            ReachedTest(path="far.test.ts", uses=False, distance=2),
        ),
    )
    assert "Tests that reach it: 3\n  user.test.ts (uses it)\n" in found.text()
    assert "\n  a.test.ts (changed itself)\n  far.test.ts (imports it, 2 away)" in found.text()
    assert [(where, how) for _, where, *_, how in found.shape().rows] == [
        ("user.test.ts", "uses it"),
        ("a.test.ts", "changed itself"),
        ("far.test.ts", "imports it, 2 away"),
    ]
