"""Templates of components that are no markup."""

import time

import pytest

from ipuaro_jupyter.languages.components.component_code import template_of

_REPEATED = (b"<!--", b"<textarea>", b"<i v-pre>", b"<i v-pre></i>", b"<a></b>", b"<template ")


@pytest.mark.parametrize("repeated", _REPEATED)
def test_templates_are_read_in_linear_time(repeated):
    """Ten times the text takes about ten times as long; what is quadratic, 100 times."""
    few, many = (b"<template>" + repeated * count for count in (1_000, 10_000))
    assert _least_s(many) < 40 * _least_s(few) + 0.05


def _least_s(text):
    """The processor time of the quickest of three: other work of the process may fall into one."""
    took = []
    for _ in range(3):
        began = time.process_time()
        template_of("a.vue", text)
        took.append(time.process_time() - began)
    return min(took)
