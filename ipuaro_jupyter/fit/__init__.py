"""Trying a model out: questions and small tasks on the demo, judged by what its code says.

`fit` asks the model each question by evidence of several sizes and by the loop, and compares the
answers with what they have to hold; and it asks each task in each form of calls, and compares the
first call with the index. Nothing that a model proposes here is ever done.
"""

from ipuaro_jupyter.fit.run_fit import FitPlan, FitProgress, fit

__all__ = ["FitPlan", "FitProgress", "fit"]
