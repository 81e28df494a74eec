def users(count):
    return {
        "core.ts": "export const h = 1\n",
        **{f"u{n}.ts": "import { h } from './core'\n" for n in range(count)},
    }


def test_more_than_five_dependents_make_a_hub(run):
    result = run(users(6))("get_dependents", {"path": "core.ts"})
    output = result.to_dict()["output"]
    assert output["isHub"] is True
    assert output["totalDependents"] == 6
    assert output["dependents"][0]["path"] == "u0.ts"
    assert output["dependents"][0]["fileType"] == "source"
    assert isinstance(output["dependents"][0]["complexityScore"], float | int)
    assert "Warning: This is a hub file." in result.text()


def test_five_do_not(run):
    result = run(users(5))("get_dependents", {"path": "core.ts"})
    assert result.output.is_hub is False
    assert "Warning" not in result.text()
