"""Permissions that count for root too, as they do for everybody else."""

import ctypes
import os
import sys
from contextlib import contextmanager

import pytest

_READ_AND_WRITE_ALL = 1 << 1 | 1 << 2  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH of capabilities(7)
_VERSION = 0x20080522
_GET_SECUREBITS, _SET_SECUREBITS = 27, 28  # of prctl(2)
# SECBIT_NOROOT: what is started gets nothing back; SECBIT_NO_SETUID_FIXUP: access(2) neither
_ROOT_IS_NOBODY_SPECIAL = 1 << 0 | 1 << 2


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Set(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint32) for name in ("effective", "permitted", "inheritable"))


@contextmanager
def counting():
    """Take from this thread, and from what it starts, root's right to read and write all."""
    if os.geteuid() != 0:
        yield
        return
    if sys.platform != "linux":
        pytest.skip("root may do everything here")
    libc = ctypes.CDLL(None, use_errno=True)
    header, sets = _Header(_VERSION, 0), (_Set * 2)()

    def call(function, *arguments):
        done = function(*arguments)
        if done < 0:
            why = os.strerror(ctypes.get_errno())
            assert not os.environ.get("CI"), f"CI needs to change root's rights: {why}"
            pytest.skip(f"root's rights cannot be changed: {why}")
        return done

    call(libc.capget, ctypes.byref(header), sets)
    before = sets[0].effective
    bits = call(libc.prctl, _GET_SECUREBITS, 0, 0, 0, 0)
    try:
        call(libc.prctl, _SET_SECUREBITS, bits | _ROOT_IS_NOBODY_SPECIAL, 0, 0, 0)
        sets[0].effective = before & ~_READ_AND_WRITE_ALL
        call(libc.capset, ctypes.byref(header), sets)
        yield
    finally:
        sets[0].effective = before
        call(libc.capset, ctypes.byref(header), sets)
        call(libc.prctl, _SET_SECUREBITS, bits, 0, 0, 0)
