"""Which of several tools a call means."""

from ipuaro_jupyter.records.chat import ToolSchema, chosen


def schema(name, *parameters):
    properties = {each: {"type": "string"} for each in parameters}
    return ToolSchema(name=name, description="", parameters={"properties": properties})


def test_the_tool_is_chosen_that_has_the_parameters():
    reads, finds = schema("read", "path"), schema("find", "pattern")
    assert chosen([reads, finds], {"pattern": "a"}) is finds
    assert chosen([reads, finds], '{"pattern": "a"}') is finds
    assert chosen([reads, finds], {"colour": "red"}) is None
