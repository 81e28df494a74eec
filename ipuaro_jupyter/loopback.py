"""Hosts that are this machine."""

import ipaddress


def is_loopback(host: str) -> bool:
    """Whether a host's name, or its address without brackets, is this machine's."""
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified
