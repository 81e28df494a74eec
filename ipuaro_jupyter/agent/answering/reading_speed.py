"""How fast a model reads, and so how much evidence it is given."""

LEAST_TOKENS, USUAL_TOKENS, _MOST_TOKENS = 800, 1500, 3000
HEAD_TOKENS = 300
"""About what rules, template and question take."""


class ReadingSpeed:
    """How fast a model reads a prompt, as measured; it is unknown before the first request.

    Attributes:
        per_s: Tokens a second.
        fixed: The tokens of evidence, however fast it reads; None follows the speed.
    """

    def __init__(self) -> None:
        self.per_s: float | None = None
        self.fixed: int | None = None

    def note(self, tokens: float, seconds: float) -> None:
        """Take a request into account: the tokens that were new, and the time to the first word."""
        if tokens > HEAD_TOKENS and seconds > 0:
            now = tokens / seconds
            self.per_s = now if self.per_s is None else 0.5 * (self.per_s + now)

    def seconds_for(self, tokens: float) -> float | None:
        """The time that so many new tokens take; None before the first request."""
        return None if self.per_s is None else tokens / self.per_s

    def tokens_within(self, seconds: float) -> int:
        """The tokens of evidence that can be read in that time beside rules and question."""
        if self.fixed is not None:
            return self.fixed
        if self.per_s is None:
            return USUAL_TOKENS
        return int(min(max(self.per_s * seconds - HEAD_TOKENS, LEAST_TOKENS), _MOST_TOKENS))
