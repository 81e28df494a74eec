"""Templates of components that are no markup."""

import time

import pytest

from ipuaro_jupyter.languages.components.component_code import template_of

_REPEATED = (b"<!--", b"<textarea>", b"<i v-pre>", b"<i v-pre></i>", b"<a></b>", b"<template ")


@pytest.mark.parametrize("repeated", _REPEATED)
def test_templates_are_read_in_linear_time(repeated):
    """Ten times the text takes about ten times as long; what is quadratic, 100 times."""
    took = []
    for count in (1_000, 10_000):
        text = b"<template>" + repeated * count
        began = time.process_time()
        template_of("a.vue", text)
        took.append(time.process_time() - began)
    assert took[1] < 40 * took[0] + 0.05
