"""``%ipuaro graph``."""


def test_a_graph_is_a_value_too(kernel):
    kernel.begin()
    drawn = kernel.run("%ipuaro graph src").result()
    assert "<svg" in drawn["text/html"] or "<table" in drawn["text/html"]
    ran = kernel.run("set(_.nodes_to_pandas().path) == set(_.nodes), 'src/retry.ts' in _.nodes")
    assert ran.result()["text/plain"] == "(True, True)"
