"""A real kernel: a project is opened, asked about and edited. A plain ``pytest`` runs this too."""

APPLY = {"action": "apply", "text": None}


def file_of(kernel):
    return (kernel.root / "src/retry.ts").read_text()


def test_start_shows_the_status(kernel):
    ran = kernel.begin()
    assert ran.types == ["execute_result"]
    assert str(kernel.root) in ran.result()["text/plain"]
    assert "<table" in ran.result()["text/html"]


def test_an_answer_is_shown_once_and_is_a_value(started):
    ran = started.run("%%ask\nExplain")
    assert ran.types == ["execute_result"]
    assert ran.result()["text/html"].count("<strong>retries</strong>") == 1
    assert set(ran.result()) == {"text/plain", "text/html"}
    assert "It **retries** three times." in started.run("print(_.text, _.ended)").text


def test_an_applied_edit_is_written_and_recorded(started):
    ran = started.run("%%ask\nRaise it", decide=APPLY)
    assert "attempts = 5" in file_of(started)
    assert ran.types == ["execute_result"]
    assert "+  const attempts = 5;" in ran.text
    assert "It retries five times now." in ran.text
