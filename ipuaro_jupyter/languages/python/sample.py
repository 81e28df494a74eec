"""TODO: no, this is a docstring."""

x = "# TODO: no"  # TODO(bob): yes
s = (
    f"{x} # no"
    """
# BUG: no
"""
)
# NOTE: yes
