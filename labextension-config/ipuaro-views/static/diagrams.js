// Mermaid's code blocks as pictures, where the front end can draw them: an image of its own SVG, which runs
// nothing and loads nothing. The code stays below.

import { languageOf } from "./code_buttons.js";
import { make } from "./dom.js";

const MOST_CHARACTERS = 20_000;

export class Diagrams {
  constructor(mermaid) {
    this.mermaid = mermaid;
    const redraw = () => {
      for (const picture of document.querySelectorAll("img.ipuaro-diagram")) this.show(picture, picture.ipuaroSource);
    };
    const options = { attributes: true, attributeFilter: ["data-jp-theme-name"] };
    if (mermaid) new MutationObserver(redraw).observe(document.body, options);
  }

  draw(cell) {
    if (!this.mermaid) return;
    for (const block of cell.node.querySelectorAll(".jp-OutputArea .ipuaro-answer pre.ipuaro-code:not(.ipuaro-drawn)")) {
      const code = block.querySelector("code");
      if (code && languageOf(code) === "mermaid" && code.textContent.length <= MOST_CHARACTERS) {
        block.classList.add("ipuaro-drawn");
        const picture = make("img", { className: "ipuaro-diagram", ipuaroSource: code.textContent });
        this.show(picture, code.textContent).then(() => block.before(picture), () => null);
      }
    }
  }

  async show(picture, source) {
    const drawn = await this.mermaid.renderSvg(source);
    picture.alt = drawn.accessibleTitle || "Diagram of the code below";
    if (drawn.width) picture.width = drawn.width;
    picture.src = `data:image/svg+xml,${encodeURIComponent(drawn.svg)}`;
  }
}
