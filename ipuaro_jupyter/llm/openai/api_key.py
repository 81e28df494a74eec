"""The key for a server: read from the environment for each request, and shown nowhere."""

import os
from dataclasses import dataclass
from typing import Literal

from pydantic import SecretStr

from ipuaro_jupyter.llm.openai.server_address import ServerAddress, is_one_server

KeyState = Literal["none", "unset", "withheld", "unusable", "sent"]


@dataclass(frozen=True, slots=True)
class ApiKey:
    """Where the key comes from, and who gets it.

    Attributes:
        variable: The environment variable that holds it; None when there is none.
        only_for: The address of the server that gets it; None is any, "" none.
        given: The key of a server of our own.
    """

    variable: str | None = None
    only_for: str | None = None
    given: SecretStr | None = None

    def state(self, address: ServerAddress) -> KeyState:
        """Whether the server gets a key, or why not."""
        if self.given is not None:
            return "sent"
        if self.variable is None:
            return "none"
        if self.only_for is not None and not is_one_server(self.only_for, address.api):
            return "withheld"
        if not (key := self._key().get_secret_value()):
            return "unset"
        return "sent" if key.isascii() and key.isprintable() and " " not in key else "unusable"

    def sent_to(self, address: ServerAddress) -> SecretStr | None:
        """The key that the server gets; None when it gets none."""
        if self.state(address) != "sent":
            return None
        return self._key() if self.given is None else self.given

    def hidden(self, text: str) -> str:
        """The text without the key, should a server repeat it."""
        key = (self._key() if self.given is None else self.given).get_secret_value()
        return text.replace(key, "***") if key else text

    def _key(self) -> SecretStr:
        return SecretStr(os.environ.get(self.variable or "", "").strip())
