"""The tool answers in time, whatever the pattern."""


def test_a_catastrophic_expression_comes_to_an_end(run):
    grep = run({"a.txt": f"{'a' * 50}!\n" * 500})
    error = grep("grep", {"pattern": "(a+)+$", "use_regex": True}).error
    assert error.type == "timeout"
    assert "too broad" in error.message
