"""Loopback hosts."""

import ipaddress


def is_loopback(host: str) -> bool:
    """Whether a host name, or an address without brackets, means this machine."""
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified
