"""A model that knows every answer and the first step of every task, for trying models out."""

import json

from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.fit.demo_questions import questions
from ipuaro_jupyter.llm.text_calls.call_format import format_call
from ipuaro_jupyter.tools import load_tools

ANSWERS = (
    "After five, see `MAX_FAILURES`.",
    "For 15 minutes, see `LOCK_MS`.",
    "It lasts 12 hours.",
    "`find` removes it and returns undefined.",
    "By `timingSafeEqual`.",
    "By scrypt, in `deriveKey`.",
    "It is multiplied by 1.25.",
    "`moved` throws a `ValidationError`.",
    "It is delivered, in transit again, or returned.",
    "https://parcels.example/track/ and the id, see `trackingLink`.",
    "Those with an @, but not the sender's.",
    "`add` throws a `ValidationError`.",
)
VALUES = {"content": "x", "target": "x", "patch": "y", "start": 1, "end": 1}


def step_call(step):
    """Return a whole call for a step."""
    tool = load_tools().find(step.tool)
    call = step.call(tool)
    missing = [n for n in tool.schema.parameters.get("required", []) if n not in call.arguments]
    filled = {name: VALUES.get(name, "*") for name in missing}
    if step.tool == "glob" and step.text:
        call.arguments["pattern"] = f"{'' if step.text.endswith('/') else '**/'}{step.text}*"
    return call.model_copy(update={"arguments": filled | call.arguments})


def written(step):
    call = step_call(step)
    return format_call(call, load_tools().find(call.name).schema)


def right_replies(tasks):
    """Return the answer to each question, and the first step of each task."""
    answers = {one.text: said for one, said in zip(questions(), ANSWERS, strict=True)}
    return answers | {
        task.question: written(task.steps[0]) if task.steps else "Bye." for task in tasks
    }


def opener(reply, *, native=True, most=1_000_000):
    """Return what opens models that answer with ``reply(question)``, and the opened ones."""
    models = []

    def opened(llm):
        model = ScriptedModel(
            [lambda messages: reply(_asked(messages))] * 1000,
            native_tools=native and llm.use_native_tools is not False,
            context_tokens=min(most, llm.context_window),
        )
        models.append(model)
        return model

    opened.models = models
    return opened


def _asked(messages):
    return next(m.content for m in reversed(messages) if m.role == "user")


def replying(replies):
    """Return a function that finds the question in a message, whatever stands beside it."""

    def reply(message):
        return next((said for asked, said in replies.items() if asked in message), "")

    return reply


def write_recording(path, replies):
    turns = [{"message": asked, "replies": [said]} for asked, said in replies.items()]
    path.write_text(json.dumps({"version": 1, "turns": turns}))
    return path
