"""Plays a turn and tells after each event which messages are stored: killed.py ROOT REPLIES."""

import json
import sys

import ipuaro_jupyter


def main(root, replies):
    model = ipuaro_jupyter.ScriptedModel(json.loads(replies), delay_s=0.001)
    with ipuaro_jupyter.start(root, model=model, confirm=lambda _: True) as assistant:
        session = assistant._conversation.session
        for _ in assistant.stream("Change it in a process that is killed."):
            print(json.dumps([one.model_dump_json() for one in session.messages]), flush=True)


main(*sys.argv[1:])
