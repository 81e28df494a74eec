"""The parts of a long diff: what is shown at first, how its rows are drawn, and the rest in pages.

``diff_cut`` chooses, ``diff_rows`` draws rows, ``drawn_changes`` draws them for a page that makes
them interactive, ``unseen`` pages through the rest in a terminal. The views ``diff`` and
``changes`` are made of these, and ``patch`` draws what git prints with ``patched_files``.
"""
