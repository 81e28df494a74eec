r"""Text without hidden characters, for display anywhere.

The front end has the same rule in labextension-config/ipuaro-views/static/visible.js. It is made of
parts that both write alike (``\U0001f000`` is ``\u{1f000}`` there), and of nothing whose meaning
depends on the version of Unicode.
"""

import re

# Controls but tab and newline, formats, surrogates, line and paragraph separators, and what Unicode
# calls default ignorable: fillers, variation selectors and tags among them. And a note without a
# head. https://www.unicode.org/reports/tr36/ and tr55
HIDDEN = (
    r"\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2"
    r"\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    r"\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd"
    r"\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e0fff"
)

# Those with a variation selector of their own, and the planes of emoji; none is part of a name.
EMOJI = (
    r"\xa9\xae\u203c\u2049\u2122\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u23cf\u23e9-\u23f3"
    r"\u23f8-\u23fa\u24c2\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u2604\u260e\u2611\u2614"
    r"\u2615\u2618\u261d\u2620\u2622\u2623\u2626\u262a\u262e\u262f\u2638-\u263a\u2640\u2642"
    r"\u2648-\u2653\u265f\u2660\u2663\u2665\u2666\u2668\u267b\u267e\u267f\u2692-\u2697\u2699"
    r"\u269b\u269c\u26a0\u26a1\u26a7\u26aa\u26ab\u26b0\u26b1\u26bd\u26be\u26c4\u26c5\u26c8\u26ce"
    r"\u26cf\u26d1\u26d3\u26d4\u26e9\u26ea\u26f0-\u26f5\u26f7-\u26fa\u26fd\u2702\u2705"
    r"\u2708-\u270d\u270f\u2712\u2714\u2716\u271d\u2721\u2728\u2733\u2734\u2744\u2747\u274c\u274e"
    r"\u2753-\u2755\u2757\u2763\u2764\u2795-\u2797\u27a1\u27b0\u27bf\u2934\u2935\u2b05-\u2b07"
    r"\u2b1b\u2b1c\u2b50\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
FLAG = (
    r"\U0001f3f4\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067"
    r"|\U000e0073\U000e0063\U000e0074|\U000e0077\U000e006c\U000e0073)\U000e007f"
)
"""England's, Scotland's or Wales's."""

ARABIC = (
    r"\u0620-\u065f\u066e-\u06d3\u06d5-\u06dc\u06df-\u06e8\u06ea-\u06ef\u06fa-\u06fc\u06ff"
    r"\u0750-\u077f\u0870-\u0887\u08a0-\u08e1\u08e3-\u08ff"
)
"""Letters and marks."""
INDIC = r"\u0900-\u0dff"
"""The scripts of India and Sri Lanka."""
VIRAMA = r"\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca"
EDGE = r"\x00-#%-\/:-@\[-\^\x60\{-\x7f"
"""ASCII that is no part of a name."""

KEPT = "|".join(
    (
        FLAG,
        rf"[{EMOJI}][\ufe0e\ufe0f]?(?:\u200d[{EMOJI}][\ufe0e\ufe0f]?)*",
        r"[#*0-9]\ufe0f\u20e3",
        rf"(?<![^{EDGE}])\u2139\ufe0f(?![^{EDGE}])",  # a letter
        rf"[{ARABIC}\u06f0-\u06f9]\u200c(?=[{ARABIC}])",
        rf"[{ARABIC}]\u200d(?![^{EDGE}\u060c\u061b\u061f])",
        rf"[{INDIC}][{VIRAMA}][\u200c\u200d](?![^{EDGE}{INDIC}])",
        rf"[{INDIC}]\u200d(?=[{VIRAMA}][{INDIC}])",
    )
)
"""What is written with hidden characters, which are seen there by what they do."""

_ANY_HIDDEN = re.compile(f"[{HIDDEN}]")
_RULE = re.compile(f"({KEPT})|[{HIDDEN}]")


def visible(text: str) -> str:
    """``text`` with every character that hides or moves other characters spelled out.

    Control and format characters, bidirectional overrides, and characters that take no room or are
    blank become ``[U+202E]``, so that the reader sees everything that is there. Tabs and newlines
    stay, and so do joiners and variation selectors where emoji, Arabic or Indic scripts need them:
    in an emoji and between letters of those scripts, but not in a name in other letters.
    """
    if _ANY_HIDDEN.search(text) is None:
        return text
    return _RULE.sub(lambda found: found[1] or f"[U+{ord(found[0]):04X}]", text)
