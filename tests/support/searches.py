"""Searches in a project whose files are read by whoever is meant to."""

import pytest

from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.project.search import search
from ipuaro_jupyter.project.search.files_in import text_files_in
from ipuaro_jupyter.project.search.search_result import Query

PATIENT = {"first_match_s": 120.0, "total_s": 120.0}


@pytest.fixture
def find(opened):
    """Return a function that searches the project, patiently unless told otherwise."""

    def find_now(pattern, *, cancel=None, **options):
        query = Query(pattern, **(PATIENT | options))
        files = text_files_in(opened.workspace, ".").files
        return search.search(opened.workspace, files, query, cancel or CancelToken())

    return find_now


def places(found):
    return [(match.path, match.line) for match in found.matches]
