from ipuaro_jupyter.records.kernel import RaisedError


def test_an_error_without_a_message_is_its_class():
    assert RaisedError(type="KeyError", message="'a'", frames=()).headline == "KeyError: 'a'"
    assert RaisedError(type="StopIteration", message="", frames=()).headline == "StopIteration"
