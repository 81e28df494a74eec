"""Conversations of conversations.json that are held: everything but the model's words is real."""

import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import ipuaro_jupyter
from ipuaro_jupyter import ScriptedModel
from ipuaro_jupyter.records.events import TurnFinished


@dataclass
class Conversation:
    """A conversation that was held; ``asked`` are the proposals, ``answers`` one per turn."""

    root: Path
    assistant: Any
    model: ScriptedModel
    answers: list[Any] = field(default_factory=list)
    asked: list[Any] = field(default_factory=list)
    events: list[Any] = field(default_factory=list)

    @property
    def results(self):
        """The results of all calls as plain data."""
        return [c.result.to_dict() for answer in self.answers for c in answer.tool_calls]

    @property
    def told(self):
        """What the model was told before each of its replies: the newest message."""
        return [request.messages[-1] for request in self.model.requests]

    def read(self, path):
        return (self.root / path).read_text()

    def git(self, *arguments):
        return subprocess.check_output(["git", *arguments], cwd=self.root, text=True).strip()


@pytest.fixture(scope="module")
def hold(tmp_path_factory):
    """Return a function that holds a conversation; what it opened is closed afterwards.

    The same one is held once and kept to be looked at; a check that changes it holds it ``anew``.
    """
    opened, kept = [], {}

    def hold_once(case, *, anew=False, **options):
        if anew or options:
            return run(case, **options)
        script = json.dumps(case)
        if script not in kept:
            kept[script] = run(case)
        return kept[script]

    def run(case, *, watched=False, **settings):
        root = tmp_path_factory.mktemp("held") / "project"
        write(root, case["files"])
        for command in case.get("git", ()):
            subprocess.run(command, shell=True, cwd=root, check=True, capture_output=True)
        held = Conversation(root, None, ScriptedModel([]))
        model = ScriptedModel(
            [reply(held, one, watched=watched) for turn in case["turns"] for one in turn["model"]]
        )
        wishes = iter([word == "yes" for turn in case["turns"] for word in turn.get("confirm", ())])

        def confirm(proposal):
            held.asked.append(proposal)
            return next(wishes)

        held.model = model
        held.assistant = ipuaro_jupyter.start(
            root, model=model, confirm=confirm, settings={"context": settings}
        )
        opened.append(held.assistant)
        for turn in case["turns"]:
            held.events += held.assistant.stream(turn["user"])
            held.answers.append(held.events[-1].answer)
            assert isinstance(held.events[-1], TurnFinished)
        assert next(wishes, None) is None, "not every confirmation was asked for"
        return held

    yield hold_once
    for assistant in opened:
        assistant.close()


def write(root, files):
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def reply(held, step, *, watched):
    """Return a reply of the script; one with a "before" does that when it is its turn."""
    if isinstance(step, str):
        return step

    def first(_messages):
        write(held.root, step["before"]["write"])
        if watched:
            held.assistant.project().index.touch(list(step["before"]["write"]))
        return step["reply"]

    return first
