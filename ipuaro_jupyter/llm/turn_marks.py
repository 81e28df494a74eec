"""What chat templates write around turns: in replies, as stops, and kept from being tokens.

A model that does not end its reply goes on with these marks and plays the user. And where a file or
a result holds one, a server would read it as the end of a turn: so a request has a zero-width joint
in each, which is taken out of the reply again.
"""

import re
from collections.abc import Callable, Collection, Iterable
from typing import Any, NamedTuple

from ipuaro_jupyter.records.chat import Message


class TurnTemplate(NamedTuple):
    """The marks of a template.

    Attributes:
        models: A pattern of the names of its models, in lower case.
        ends: What ends a turn.
        begins: What begins one; a word behind it says whose.
        others: What begins one of the user, the system or a tool.
        own: What begins one of the model.
    """

    models: str = "(?!)"
    ends: tuple[str, ...] = ()
    begins: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    own: tuple[str, ...] = ()

    @property
    def stop(self) -> str:
        """What certainly begins a turn of the user, and never an answer."""
        return f"{self.begins[0]}user" if self.begins else self.others[0]


# Where no other source is named: chat_template and added_tokens of tokenizer_config.json at
# https://huggingface.co/NAME
_CHATML = TurnTemplate(  # Qwen/Qwen2.5-Coder-0.5B-Instruct, HuggingFaceTB/SmolLM2-1.7B-Instruct
    ends=("<|im_end|>", "<|endoftext|>"), begins=("<|im_start|>",)
)
TEMPLATES = (
    TurnTemplate(  # meta-llama/Llama-3.1-8B-Instruct
        "llama-?3",
        ends=("<|eot_id|>", "<|end_of_text|>", "<|eom_id|>"),
        begins=("<|start_header_id|>",),
    ),
    TurnTemplate(  # meta-llama/Llama-4-Scout-17B-16E-Instruct
        "llama-?4", ends=("<|eot|>", "<|eom|>"), begins=("<|header_start|>",)
    ),
    TurnTemplate(  # google/gemma-4-E2B-it
        "gemma-?4", ends=("<turn|>",), begins=("<|turn>",)
    ),
    TurnTemplate(  # google/gemma-3-4b-it
        "gemma", ends=("<end_of_turn>", "<eos>"), begins=("<start_of_turn>",)
    ),
    TurnTemplate(  # mistralai/Mistral-Small-3.1-24B-Instruct-2503
        "mistral|ministral|devstral|codestral|mixtral",
        ends=("</s>",),
        others=("[INST]", "[SYSTEM_PROMPT]", "[AVAILABLE_TOOLS]"),
        own=("[/INST]",),
    ),
    TurnTemplate(  # openai/gpt-oss-20b: https://cookbook.openai.com/articles/openai-harmony
        "gpt-?oss", ends=("<|return|>", "<|end|>"), begins=("<|start|>",)
    ),
    TurnTemplate(  # microsoft/Phi-4-mini-instruct; zai-org/GLM-4.5; allenai/OLMo-2-1124-7B-Instruct
        r"phi-?(?:3|4-?mini)|\bglm|olmo|zephyr|tinyllama|falcon",
        ends=("<|end|>",),
        others=("<|user|>", "<|system|>"),
        own=("<|assistant|>",),
    ),
    TurnTemplate(  # deepseek-ai/DeepSeek-V3
        "deepseek",
        ends=("<\uff5cend\u2581of\u2581sentence\uff5c>",),
        others=("<\uff5cUser\uff5c>",),
        own=("<\uff5cAssistant\uff5c>",),
    ),
    TurnTemplate(  # CohereLabs/c4ai-command-r7b-12-2024
        "command-?[ar]|aya",
        ends=("<|END_OF_TURN_TOKEN|>", "<|END_RESPONSE|>", "<|end_of_turn|>"),
        others=("<|USER_TOKEN|>", "<|SYSTEM_TOKEN|>"),
        own=("<|START_OF_TURN_TOKEN|>", "<|CHATBOT_TOKEN|>"),
    ),
    TurnTemplate(  # ibm-granite/granite-3.3-2b-instruct
        "granite", ends=("<|end_of_text|>",), begins=("<|start_of_role|>",)
    ),
    TurnTemplate(  # moonshotai/Kimi-K2-Instruct
        "kimi", others=("<|im_user|>", "<|im_system|>"), own=("<|im_assistant|>",)
    ),
    TurnTemplate(  # LGAI-EXAONE/EXAONE-3.5-2.4B-Instruct
        "exaone",
        ends=("[|endofturn|]",),
        others=("[|user|]", "[|system|]"),
        own=("[|assistant|]",),
    ),
    TurnTemplate(  # swiss-ai/Apertus-8B-Instruct-2509
        "apertus",
        ends=("<|assistant_end|>",),
        others=("<|user_start|>", "<|system_start|>", "<|developer_start|>"),
        own=("<|assistant_start|>",),
    ),
    TurnTemplate(  # MiniMaxAI/MiniMax-M2
        "minimax", ends=("[e~[",), begins=("]~b]",)
    ),
    TurnTemplate(  # ByteDance-Seed/Seed-OSS-36B-Instruct
        "seed-oss", ends=("<seed:eos>",), begins=("<seed:bos>",)
    ),
    _CHATML,
)


def _lower(marks: Iterable[str]) -> frozenset[str]:
    return frozenset(mark.lower() if mark[0] == "<" else mark for mark in marks)


ENDS = _lower(mark for template in TEMPLATES for mark in template.ends)
"""The marks of an end; here and below in lower case if they begin with ``<``."""
BEGINS = _lower(mark for template in TEMPLATES for mark in template.begins)
OTHERS = _lower(mark for template in TEMPLATES for mark in template.others)
OWN = _lower(mark for template in TEMPLATES for mark in template.own)
BESIDE = _lower(
    [
        *("<|end_header_id|>", "<|header_end|>", "<|end_of_role|>", "<|im_sep|>", "<|im_middle|>"),
        *("<|begin_of_text|>", "<|startoftext|>", "<bos>", "<BOS_TOKEN>"),
        "<\uff5cbegin\u2581of\u2581sentence\uff5c>",
    ]
)
"""Marks that stand beside those."""
TURNS = BEGINS | OTHERS
MARKS = ENDS | BEGINS | OTHERS | OWN | BESIDE
HARMONY = frozenset({"<|start|>", "<|channel|>"})
"""What goes on with a reply of several messages."""
OWN_ROLES = frozenset({"", "assistant", "model", "ai"})
RESULT_STOPS = ("\n<tool_response>", "\n<tool_result>", "<|observation|>", "\n<function_results>")
_MOST_STOPS = 4


def stops(conversation: Collection[str] = (), model: str = "") -> tuple[str, ...]:
    """Texts at which a server may end a reply: there a turn of the user or a result is invented.

    They are four at most, as some servers take no more. One that the conversation mentions is left
    out, as an answer or an edit may have to hold it; so is what ends a turn, as a model that knows
    the mark ends there by itself.

    Args:
        conversation: The texts of the conversation.
        model: The name of the model, which tells the template.
    """
    name = model.lower().replace("_", "-")
    template = next((one for one in TEMPLATES if re.search(one.models, name)), _CHATML)
    known = (template.stop, *RESULT_STOPS)
    return tuple(
        one for one in known[:_MOST_STOPS] if not any(one.strip() in text for text in conversation)
    )


_JOINT = "\u2060"
_MORE = (
    *("<s>", "<fim_prefix>", "<fim_middle>", "<fim_suffix>", "<repo_name>", "<file_sep>"),
    *("<tool_call|>", "<tool_response|>", "<channel|>", "<start_function_call>"),
    *("<start_function_response>", "[TOOL_CALLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]"),
    *("[/SYSTEM_PROMPT]", "[/AVAILABLE_TOOLS]", "[THINK]", "[/THINK]"),
)
"""Control tokens beside those of turns, apart from ``<|WORD|>``."""


def _control(first: str) -> str:
    marks = [mark for template in TEMPLATES for marks in template[1:] for mark in marks]
    rest = {re.escape(mark[1:]) for mark in (*marks, *_MORE, "<bos>", "<BOS_TOKEN>")
            if mark[0] == first and mark[1] != "|"}  # fmt: skip
    return rf"{re.escape(first)}{_JOINT}*(?={'|'.join(sorted(rest))})"


_CONTROL = re.compile(
    rf"<{_JOINT}*(?=[|\uff5c][\w/\"])|\[{_JOINT}*(?=\|[a-z])|{_control('<')}|{_control('[')}"
    rf"|{_control(']')}"
)
_BEGUN = re.compile(rf"[<\[\]]{_JOINT}+[^{_JOINT}]{{0,30}}\Z")


def joined(text: str) -> str:
    """The text with one joint more in each control token, so that no server reads one there."""
    return _CONTROL.sub(lambda mark: f"{mark[0][0]}{_JOINT}{mark[0][1:]}", text)


def plain(text: str) -> str:
    """The text with one joint less in each control token: of `joined` text, the text itself."""
    return _CONTROL.sub(lambda mark: mark[0].replace(_JOINT, "", 1), text)


def joined_messages(messages: Iterable[Message]) -> list[Message]:
    """The messages as a request holds them."""
    return [_joined_message(message) for message in messages]


def _joined_message(message: Message) -> Message:
    texts = ("content", "thinking", "raw", "context", "result")
    changed: dict[str, Any] = {
        **{key: with_texts(getattr(message, key), joined, joined) for key in texts},
        "calls": tuple(
            call.model_copy(update={"arguments": with_texts(call.arguments, joined, joined)})
            for call in message.calls
        ),
    }
    is_same = all(getattr(message, key) == value for key, value in changed.items())
    return message if is_same else message.model_copy(update=changed)


def with_texts(value: Any, text: Callable[[str], str], key: Callable[[str], str]) -> Any:
    """A JSON value with each of its texts, and each key of its objects, changed."""
    match value:
        case str():
            return text(value)
        case dict():
            return {key(name): with_texts(inner, text, key) for name, inner in value.items()}
        case list():
            return [with_texts(inner, text, key) for inner in value]
        case _:
            return value


class JoinedText:
    """Takes the joints out of a text that comes in parts."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        """The next part, without what may still become a control token with a joint."""
        text, self._held = self._held + text, ""
        begun = _BEGUN.search(text)
        if begun and not _CONTROL.match(text, begun.start()):
            text, self._held = text[: begun.start()], begun[0]
        return plain(text)

    def finish(self) -> str:
        """What was held back; the text ends here."""
        held, self._held = self._held, ""
        return plain(held)
