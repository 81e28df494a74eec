"""What an MCP client is asked hides no character."""

import pytest
from invisible import AROUND, all_in, left_in, proposals

from ipuaro_jupyter.mcp_server.mcp_questions import QuestionRaised, form


@pytest.mark.parametrize("around", AROUND)
def test_no_question_of_the_server_has_an_ignorable_character(around):
    for proposal in proposals(all_in(around)):
        asked = form(QuestionRaised(proposal))
        assert left_in(asked.message) == []
        assert left_in(str(asked.requested_schema)) == []
