// Draws what went wrong, and a button for each answer. The kernel made `detail` and escaped it.

const WORDS = { retry: "Retry", skip: "Skip", abort: "Abort" };
let count = 0;

export function drawTrouble(model, el) {
  const heading = document.createElement("h4");
  heading.id = `ipuaro-trouble-${++count}`;
  heading.textContent = model.get("title");
  const detail = document.createElement("div");
  detail.innerHTML = model.get("detail");

  const buttons = [];
  const add = (text, said) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    if (buttons.length === 0) button.className = "ipuaro-primary";
    button.addEventListener("click", () => {
      // The question goes, and the keyboard would be nowhere; the cell takes the notebook's keys.
      if (root.contains(document.activeElement)) root.closest(".jp-Cell")?.focus({ preventScroll: true });
      buttons.forEach((other) => (other.disabled = true));
      model.send({ type: "remedy", ...said });
    });
    buttons.push(button);
  };
  model.get("offers").forEach((text, offer) => add(text, { action: "retry", offer }));
  model.get("options").forEach((action) => add(WORDS[action], { action }));
  const actions = document.createElement("div");
  actions.className = "ipuaro-actions";
  actions.append(...buttons);

  const root = document.createElement("section");
  root.className = "ipuaro ipuaro-proposal ipuaro-trouble tex2jax_ignore mathjax_ignore";
  root.setAttribute("aria-labelledby", heading.id);
  // Keys typed here are for the question: the notebook would take X for cutting the cell. Its shortcuts
  // match what has the focus, so that only there the attribute helps, and not on the box around.
  root.addEventListener("focusin", ({ target }) => target.setAttribute("data-lm-suppress-shortcuts", "true"));
  root.append(heading, detail, actions);
  el.append(root);
  model.send({ type: "ready" });
}
