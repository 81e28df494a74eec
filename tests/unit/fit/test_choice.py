import pytest

from ipuaro_jupyter.errors import SettingsError
from ipuaro_jupyter.fit.choice import plan_of
from ipuaro_jupyter.fit.run_fit import FORMS, SIZES, TASKS, FitPlan


def test_without_options_everything_is_tried():
    assert plan_of() == FitPlan(forms=FORMS, sizes=SIZES, tasks=TASKS)


def test_options_are_lists_with_commas():
    plan = plan_of(tasks=4, forms="text,native", sizes="400, 800")
    assert plan == FitPlan(("text", "native"), (400, 800), 4)


@pytest.mark.parametrize(
    "option",
    [{"forms": "words"}, {"sizes": "8k"}, {"sizes": "12"}, {"tasks": 0}, {"tasks": 13}],
)
def test_what_cannot_be_tried_is_named(option):
    (name,) = option
    with pytest.raises(SettingsError, match=f"--{name}: .*{option[name]}"):
        plan_of(**option)
