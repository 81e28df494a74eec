"""``ipuaro evidence`` prints what a question is about, as text and as JSON."""

import json

from click.testing import CliRunner

from ipuaro_jupyter.cli.commands.evidence import command


def test_it_prints_ranked_files_functions_and_source(tmp_path):
    (tmp_path / "a.py").write_text("def parse_date(text):\n    return text.split('-')\n")
    asked = ["Where", "is a date", "parsed?", "--path", str(tmp_path)]
    done = CliRunner().invoke(command, asked)
    assert done.exit_code == 0
    assert "a.py:1 parse_date: date" in done.stdout
    found = json.loads(CliRunner().invoke(command, [*asked, "--json"]).stdout)
    assert found["files"] == ["a.py"]
    assert (found["symbols"][0]["path"], found["symbols"][0]["name"]) == ("a.py", "parse_date")
    assert {"kind", "facts", "text", "tokens", "ms"} <= found.keys()
