"""One turn: what the model says and does, where something strikes, and how it ends."""

from contextlib import ExitStack

import ipuaro_jupyter
from ipuaro_jupyter.cancellation import CancelToken
from ipuaro_jupyter.errors import IpuaroError
from ipuaro_jupyter.records.events import CallFinished, CallStarted, TextAdded, TurnFinished

MOMENTS = ("begun", "asked", "speaking", "calling", "asking", "called")
_MOMENT_OF = {TextAdded: "speaking", CallStarted: "calling", CallFinished: "called"}


def call(tool, **arguments):
    """Return a call as a model writes it."""
    words = "".join(f"<{name}>{value}</{name}>\n" for name, value in arguments.items())
    return f'<tool_call name="{tool}">\n{words}</tool_call>\n'


def edits(room):
    """Return calls that change one to three files."""
    random = room.random
    present = [str(place.relative_to(room.root)) for place in room.root.rglob("*.ts")]
    chosen = random.sample(sorted(present), 3)
    number = random.randrange(10**6)
    made = f"made{number % 7}/sub/new{number}.ts"
    forms = [
        call("edit_lines", path=chosen[0], start=1, end=1, content=f"// edited {number}"),
        call("edit_lines", path=chosen[1], start=1, end=0, content=f"// TODO: {number}"),
        call("create_file", path=made, content=f"export const made{number} = {number}\n"),
        call("delete_file", path=chosen[2]),
    ]
    return random.sample(forms, random.randint(1, 3))


class Turn:
    """What one turn is played with; a fault changes it before it begins.

    Attributes:
        replies: What the model says, in its order.
        model: The model; one that says the replies unless it is set.
        at: What strikes, by moment; each once.
        healing: What is done when the turn has ended, before it is looked at.
        elsewhere: Plays the turn in a process of its own instead.
        after: What is done with the assistant when the turn has ended.
        reads_on: Whether the events are read to the end.
        proposal: The latest question.
    """

    def __init__(self, room, *, with_edits=True):
        self.room = room
        self.changes = edits(room) if with_edits else []
        read = call("get_lines", path="src/m0.ts") + call("find_references", symbol="f3")
        read += "".join(
            call("get_lines", path=str(place.relative_to(room.root)))
            for place in sorted(room.root.rglob("*.ts"))
            if any(f"<path>{place.relative_to(room.root)}<" in change for change in self.changes)
        )
        self.replies = [f"I look.\n{read}", "I change it.\n" + "".join(self.changes), "Done."]
        self.model = None
        self.settings = {}
        self.on_error = None
        self.cancel = CancelToken()
        self.at = {}
        self.healing = ExitStack()
        self.elsewhere = None
        self.after = None
        self.reads_on = True
        self.struck = False
        self.proposal = None
        self.ended = "unread"

    def strike(self, moment, blow):
        """Have something strike at a moment, or at any when that is None."""
        self.at[moment or self.room.random.choice(MOMENTS)] = blow

    def moment(self, name):
        """Let strike what is to strike now."""
        blow = self.at.pop(name, None)
        if blow is not None:
            self.struck = True
            blow()

    def confirm(self, proposal):
        """Apply everything."""
        self.proposal = proposal
        self.moment("asking")
        return True

    def _asked(self, reply):
        def say(_messages):
            self.moment("asked")
            return reply

        return say

    def play(self):
        """Play the turn, then look at what is left of it."""
        if self.elsewhere is not None:
            self.struck = True
            with self.healing:
                self.elsewhere()
            return
        if self.model is None:
            self.model = ipuaro_jupyter.ScriptedModel([self._asked(one) for one in self.replies])
        with self.healing, self.room.opened(self) as assistant:
            self._stream(assistant)
            self.healing.close()
            if self.after is not None:
                self.after(assistant)
            self.room.check_use(assistant)
            self.room.check_index(assistant)

    def _stream(self, assistant):
        events = assistant.stream("Change what you like.", self.cancel)
        try:
            for event in events:
                self.moment("begun")
                self.moment(_MOMENT_OF.get(type(event), ""))
                if isinstance(event, TurnFinished):
                    self.ended = event.answer.ended
                if not self.reads_on and self.struck:
                    break
        except IpuaroError:
            self.ended = "raised"
        finally:
            events.close()
