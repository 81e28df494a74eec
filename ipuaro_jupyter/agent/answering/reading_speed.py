"""How fast a model reads, and so how much evidence it is given."""

LEAST_TOKENS = 800
_MOST_TOKENS, _USUAL_TOKENS = 3000, 1500
_HEAD_TOKENS = 300  # rules, template and question


class ReadingSpeed:
    """How fast a model reads a prompt, as measured; it is unknown before the first request."""

    def __init__(self) -> None:
        self.per_s: float | None = None

    def note(self, tokens: float, seconds: float) -> None:
        """Take a request into account: the tokens that were new, and the time to the first word."""
        if tokens > _HEAD_TOKENS and seconds > 0:
            now = tokens / seconds
            self.per_s = now if self.per_s is None else 0.5 * (self.per_s + now)

    def seconds_for(self, tokens: float) -> float | None:
        """The time that so many new tokens take; None before the first request."""
        return None if self.per_s is None else tokens / self.per_s

    def tokens_within(self, seconds: float) -> int:
        """The tokens of evidence that can be read in that time beside rules and question."""
        if self.per_s is None:
            return _USUAL_TOKENS
        return int(min(max(self.per_s * seconds - _HEAD_TOKENS, LEAST_TOKENS), _MOST_TOKENS))
