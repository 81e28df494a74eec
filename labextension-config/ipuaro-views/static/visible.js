// Text without hidden characters. The static views have the same rule: see records/visible.py, with the same parts.

const HIDDEN = [
  String.raw`\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2`,
  String.raw`\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164`,
  String.raw`\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{110bd}\u{110cd}`,
  String.raw`\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d159}\u{1d173}-\u{1d17a}`,
  String.raw`\u{e0000}-\u{e0fff}`,
].join("");
const EMOJI = [
  String.raw`\xa9\xae\u203c\u2049\u2122\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u23cf\u23e9-\u23f3`,
  String.raw`\u23f8-\u23fa\u24c2\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u2604\u260e\u2611\u2614`,
  String.raw`\u2615\u2618\u261d\u2620\u2622\u2623\u2626\u262a\u262e\u262f\u2638-\u263a\u2640\u2642`,
  String.raw`\u2648-\u2653\u265f\u2660\u2663\u2665\u2666\u2668\u267b\u267e\u267f\u2692-\u2697\u2699`,
  String.raw`\u269b\u269c\u26a0\u26a1\u26a7\u26aa\u26ab\u26b0\u26b1\u26bd\u26be\u26c4\u26c5\u26c8\u26ce`,
  String.raw`\u26cf\u26d1\u26d3\u26d4\u26e9\u26ea\u26f0-\u26f5\u26f7-\u26fa\u26fd\u2702\u2705`,
  String.raw`\u2708-\u270d\u270f\u2712\u2714\u2716\u271d\u2721\u2728\u2733\u2734\u2744\u2747\u274c\u274e`,
  String.raw`\u2753-\u2755\u2757\u2763\u2764\u2795-\u2797\u27a1\u27b0\u27bf\u2934\u2935\u2b05-\u2b07`,
  String.raw`\u2b1b\u2b1c\u2b50\u2b55\u3030\u303d\u3297\u3299\u{1f000}-\u{1faff}`,
].join("");
const FLAG = [
  String.raw`\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}`,
  String.raw`|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}`,
].join("");
const ARABIC = [
  String.raw`\u0620-\u065f\u066e-\u06d3\u06d5-\u06dc\u06df-\u06e8\u06ea-\u06ef\u06fa-\u06fc\u06ff`,
  String.raw`\u0750-\u077f\u0870-\u0887\u08a0-\u08e1\u08e3-\u08ff`,
].join("");
const INDIC = String.raw`\u0900-\u0dff`;
const VIRAMA = String.raw`\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca`;
const EDGE = String.raw`\x00-#%-\/:-@\[-\^\x60\{-\x7f`;

const KEPT = [
  FLAG,
  String.raw`[${EMOJI}][\ufe0e\ufe0f]?(?:\u200d[${EMOJI}][\ufe0e\ufe0f]?)*`,
  String.raw`[#*0-9]\ufe0f\u20e3`,
  String.raw`(?<![^${EDGE}])\u2139\ufe0f(?![^${EDGE}])`,
  String.raw`[${ARABIC}\u06f0-\u06f9]\u200c(?=[${ARABIC}])`,
  String.raw`[${ARABIC}]\u200d(?![^${EDGE}\u060c\u061b\u061f])`,
  String.raw`[${INDIC}][${VIRAMA}][\u200c\u200d](?![^${EDGE}${INDIC}])`,
  String.raw`[${INDIC}]\u200d(?=[${VIRAMA}][${INDIC}])`,
].join("|");
const RULE = new RegExp(`(${KEPT})|[${HIDDEN}]`, "gu");

// Characters that hide or move others are spelled out.
export function visible(text) {
  return String(text).replace(RULE, (found, kept) => kept ?? spelled(found));
}

// Where they are in a text: { at, length } in UTF-16 units, and how each is spelled.
export function hidden(text) {
  return [...text.matchAll(RULE)]
    .filter(([, kept]) => kept === undefined)
    .map(({ 0: found, index }) => ({ at: index, length: found.length, spelled: spelled(found) }));
}

function spelled(character) {
  return `[U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}]`;
}
