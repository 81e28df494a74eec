"""``%ipuaro complexity``, ``todos`` and ``diff``, and tables as DataFrames."""


def test_the_documentation_of_the_magic_lists_them(shared_kernel):
    magic = "get_ipython().magics_manager.magics['line']['ipuaro']"
    told = shared_kernel.run(f"from IPython.core import oinspect\nprint(oinspect.getdoc({magic}))")
    assert "%ipuaro complexity [--limit N] [path]" in told.text
    assert "Undo the newest change" in told.text
