"""Loopback hosts."""

import ipaddress
from urllib.parse import urlsplit


def host_name(address: str) -> str:
    """The host in an address, whose scheme may be missing; "" when there is none."""
    try:
        return urlsplit(address if "//" in address else f"//{address}").hostname or ""
    except ValueError:
        return ""


def is_loopback(host: str) -> bool:
    """Whether a host name, or an address without brackets, means this machine."""
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified
