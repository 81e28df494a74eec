"""Trying a model out: small tasks on the demo, judged by the index, in each way to ask a model.

`fit` asks the model each task once, in each combination of the form of calls, the tools' profile
and the window, and compares the first call with the index. Nothing that a model proposes here is
ever done: only calls that look something up are run, to see where they lead.
"""

from ipuaro_jupyter.fit.run_fit import FitPlan, FitProgress, fit

__all__ = ["FitPlan", "FitProgress", "fit"]
