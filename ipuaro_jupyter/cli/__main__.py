"""``python -m ipuaro_jupyter.cli`` is ``ipuaro``."""

from ipuaro_jupyter.cli import main

main(prog_name="ipuaro")
