"""What is known of families of models, as data.

Each file ``*.toml`` is a family; a comment above a key names where its value is from, and a key
whose source was not found is left out:

- ``names``: patterns of its name as Ollama, Hugging Face and llama.cpp write it, in lower case with
  "-" for "_".
- ``sizes``: pairs of parameters in billions and the size of a file of them at 4 bits, in GB.
- ``window``: tokens, of the smallest model where they differ.
- ``thinking``: "switch" where it can be turned off, "effort" where only lessened, "always".
- ``native_calls``: whether calls come in the form that servers read.
- ``sampling``, and ``thinking_sampling`` where that differs.
"""
