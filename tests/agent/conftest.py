import importlib.util
import sys
from pathlib import Path

_spec = importlib.util.spec_from_file_location(
    "long_session", Path(__file__).with_name("long_session.py")
)
sys.modules["long_session"] = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(sys.modules["long_session"])
