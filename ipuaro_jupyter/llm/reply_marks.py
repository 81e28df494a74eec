"""The words and marks by which calls, thinking and results are known in replies."""

from collections.abc import Mapping

NAME_KEYS = ("name", "tool", "tool_name", "function", "function_name", "action")
ARGUMENT_KEYS = (
    *("arguments", "args", "parameters", "params", "kwargs"),
    *("tool_input", "action_input", "tool_args", "input"),
)
WRAPPING_KEYS = ("function", "function_call", "tool_call", "tool")
"""Keys under which an object with name and arguments may stand."""
TELLING_KEYS = (*NAME_KEYS, *WRAPPING_KEYS, *ARGUMENT_KEYS, "tool_calls")
SCALAR_KEYS = (
    *("type", "id", "call_id", "tool_call_id", "index", "role", "content"),
    *("thought", "thoughts", "reasoning", "explanation"),
)
CALLING_KEYS, KEYS = (*NAME_KEYS, *ARGUMENT_KEYS), (*TELLING_KEYS, *SCALAR_KEYS)
COMMON_KEYS = frozenset({"name", "action"})
"""Keys of a tool's name that other data has, too: they need arguments beside them."""
VALUE_KEYS = frozenset({"action_input", "tool_input", "input"})
"""Keys of arguments that may also be the one value alone, as ReAct's."""
INVOKES = ("function", "invoke", "antml:invoke", "steptml:invoke", "\uff5cdsml\uff5cinvoke")
WRAPPERS = (
    *("tools", "tool_calls", "function_call", "function_calls", "antml:function_calls", "toolcall"),
    *("minimax:tool_call", "seed:tool_call", "steptml:toolcall", "\uff5cdsml\uff5cfunction_calls"),
    *("tool_code", "code", "execute_tool"),
)
TOOLS = ("tool", "tool_use", "use_tool", "use_mcp_tool", "tool_invocation")
KEY, VALUE_OF_KEY = "arg_key", "arg_value"
"""Tags of a parameter's name and of its value behind it, as GLM writes them."""
GENERIC = frozenset({"param", "parameter", "arg", "argument", KEY, VALUE_OF_KEY})
"""Tags of a parameter whose name is not theirs, but an attribute or what a key holds."""
INNER = frozenset({"function", "invoke"})
NAMING = frozenset({"name", "tool", "tool_name", "function_name", "tool_id"})
"""Tags around a tool's name."""
VERBATIM = frozenset(
    {"content", "patch", "target", "code", "contents", "file_text", "file_content", "new_content"}
    | {"old_string", "new_string", "old_str", "new_str", "old_text", "new_text", "new_code"}
    | {"old_code", "replacement"}
)
"""Parameters that hold code: their blanks and entities are the code's own."""


def _signs(*words: str) -> tuple[str, ...]:
    """DeepSeek's special tokens; some servers hand them on in ASCII, as Kimi's are."""
    plain = [f"<|{word}|>" for word in words]
    return (*plain, *(p.replace("|", "\uff5c").replace("_", "\u2581") for p in plain))


LINES = (
    *("Action:", "**Action:**", "**Action**:", "Action :", "Tool:", "Tool Name:"),
    *("functools", "TOOL_CALL:", "Tool call:", "Tool Call:", "tool_call:", "[TOOL_CALL]"),
    *("Function call:", "Function Call:"),
)
"""What announces a call where a line begins."""
CODE_LINES = (
    *("{tool}", "print(", "default_api.", "functions.", "tools.", "tool.", "api."),
    *(">>>", "call:"),
)
"""What a call in code begins with there."""
LANGUAGES = frozenset({"", "python", "py", "python3", "tool_code", "tool_call"})
"""Languages of fences in which code may call a tool of a namespace."""
NOTHING = frozenset({"none", "null", "n/a", "{}", "()"})
"""What models write where there is no argument."""
QUOTES = {'"': '"', "'": "'", "\u201c": "\u201d", "\u2018": "\u2019", "`": "`"}
CALLS = ("tool_call", "function", "invoke")
"""Tags of calls inside of others."""
CALLED = frozenset({"", "json", "jsonc", "python", "py", "python3", "tool", "tools"})
SHOWN = frozenset({"diff", "patch", "html"})
"""Languages of fences in which models write calls, whatever stands around them, and never."""

_CALLS = _signs("tool_call_begin")  # of DeepSeek, with the object in a fence in V3 and R1; of Kimi
_SECTIONS = (
    *_signs("tool_calls_begin"),
    *("<|tool_calls_section_begin|>", "<|tool_call_section_begin|>"),
)
ANNOUNCING = (
    *_CALLS,
    *(section + gap + call for section in _SECTIONS for gap in ("", "\n") for call in _CALLS),
    "\u273fFUNCTION\u273f:",  # of Qwen-Agent
    *("[TOOL_CALLS]", "[TOOL_REQUEST]"),  # of Mistral; of LM Studio, for models without a form
    *("<|tool_call|>", "<|tools_prefix|>", "<|start_action|>"),  # of Granite, Apertus, Cohere
    *("<|action_start|><|plugin|>", "<|action_start|> <|plugin|>", "<|action_start|>"),  # InternLM
    *("<|tool_call_start|>", "<|python_tag|>", "<|python_start|>"),  # of LFM2, Llama
    *("<start_function_call>", "<|tool_call>"),  # of FunctionGemma, Gemma 4
)
ANNOUNCED_ENDS = (
    *_signs("tool_call_end", "tool_calls_end"),
    *("[/TOOL_CALLS]", "[END_TOOL_REQUEST]", "[TOOL_REQUEST_END]"),
    *("<|/tool_call|>", "<|tools_suffix|>", "<|end_action|>", "<|action_end|>"),
    *("<|start_response|>", "<|end_response|>", "<|python_end|>", "\u273fRETURN\u273f"),
    *("<end_function_call>", "<tool_call|>", *_SECTIONS),
    *("<|tool_calls_section_end|>", "<|tool_call_section_end|>"),
)
_THOUGHTS = ("think", "thinking", "thought", "thoughts", "reasoning", "reflection", "seed:think")
THINKING: Mapping[str, str] = {
    **{f"<{thought}>": f"</{thought}>" for thought in _THOUGHTS},
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "<|start_thinking|>": "<|end_thinking|>",
    "[THINK]": "[/THINK]",
    "◁think▷": "◁/think▷",
}
"""Opening mark -> closing mark, as their models write them; in angle brackets case is ignored.

Each closing mark may stand alone: then the prompt's template has written the opening one.
"""
_TAGS = (
    *("tool_result", "tool_results", "tool_response", "tool_responses", "tool_output"),
    *("function_result", "function_results", "function_response", "function_output"),
    *("observation", "execution_result", "tool_call_result"),
)
_TOKENS = (
    *("<|tool_result|>", "<|tool_results|>", "<|tool_response|>", "<|tool_response>"),
    *("<|tool_output|>", "<|tool_outputs|>", "<|start_tool_result|>", "<|observation|>"),
    *("<start_function_response>", "[TOOL_RESULTS]", "\u273fRESULT\u273f"),
    *("<\uff5ctool\u2581outputs\u2581begin\uff5c>", "<\uff5ctool\u2581output\u2581begin\uff5c>"),
)
_WORDS = ("Observation", "Tool result", "Tool Result", "Tool output", "Tool Output")

RESULTS = frozenset({*(f"<{tag}{end}" for tag in _TAGS for end in "> "), *_TOKENS})
"""What begins a result anywhere in a reply; in lower case behind ``<``, where case is ignored."""

RESULT_LINES = frozenset(
    mark for word in _WORDS for mark in (f"{word}:", f"**{word}:**", f"**{word}**:")
) | {"```tool_output"}
"""What begins one where a line begins."""
