"""The assistant as a persona of JupyterLab's chat (extra ``chat``)."""

import sys
from pathlib import Path
from typing import Any

from jupyter_ai_acp_client.base_acp_persona import BaseAcpPersona
from jupyter_ai_persona_manager import PersonaDefaults


class IpuaroPersona(BaseAcpPersona):  # type: ignore[misc]  # untyped
    """Answers in a chat; the project is the folder of the chat's file."""

    NOTEBOOK_EDITING_GUIDANCE = ""
    """Told to the model before the first message: ours has no tools of such names to be led to."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        own = [sys.executable, "-P", "-m", "ipuaro_jupyter.cli", "acp"]  # nothing of its folder
        super().__init__(*arguments, executable=own, **options)

    @property
    def defaults(self) -> PersonaDefaults:
        """The name and the picture in the chat."""
        return PersonaDefaults(
            name="ipuaro",
            description="Answers about the code of a project, with a local model.",
            avatar_path=str(Path(__file__).with_name("persona.svg")),
            system_prompt="unused",
        )
