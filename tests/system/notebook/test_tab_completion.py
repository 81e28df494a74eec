"""What Tab offers, in a real kernel as JupyterLab asks, with and without jedi."""

import pytest


@pytest.mark.parametrize("jedi", [True, False])
def test_a_kernel_offers_ours_and_pythons_where_they_belong(started, jedi):
    started.run(f"%config IPCompleter.use_jedi = {jedi}\nretryable = 1")

    def offered(code):
        started.client.complete(code, len(code))
        reply = started.client.get_shell_msg(timeout=60)["content"]
        start, end = reply["cursor_start"], reply["cursor_end"]
        return [code[:start] + match + code[end:] for match in reply["matches"]]

    assert offered("%ipuaro rei") == ["%ipuaro reindex"]
    assert offered("%tool get_lines src/r") == ["%tool get_lines src/retry.ts"]
    assert offered("%%ask\nWhat is src/r") == ["%%ask\nWhat is src/retry.ts"]
    assert offered("print(retrya") == ["print(retryable"]


def test_unloading_takes_the_offers_away(started):
    started.run("%unload_ext ipuaro_jupyter")
    ran = started.run("print(len(get_ipython().Completer.custom_matchers))")
    assert ran.text == "0"
