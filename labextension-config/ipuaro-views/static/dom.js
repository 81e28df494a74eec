// Pieces of a page. Text is always set as text.

export function make(tag, properties = {}, ...children) {
  const { aria = {}, dataset = {}, ...others } = properties;
  const node = Object.assign(document.createElement(tag), others);
  for (const [name, value] of Object.entries(aria)) {
    if (value !== null) node.setAttribute(name === "role" ? "role" : `aria-${name}`, value);
  }
  Object.assign(node.dataset, dataset);
  node.append(...children.filter((child) => child !== null));
  return node;
}

export function button(text, onClick, properties = {}) {
  const node = make("button", { type: "button", textContent: text, ...properties });
  node.addEventListener("click", onClick);
  return node;
}

export function labelled(text, control) {
  return make("label", {}, make("span", { textContent: text }), control);
}

export function choice(options, value, onChange) {
  const node = make("select", {}, ...options.map(([key, text]) => make("option", { value: key, textContent: text })));
  node.value = value;
  node.addEventListener("change", () => onChange(node.value));
  return node;
}

// Thousands apart as the Python views have them: 1,204.5678.
export function grouped(number) {
  const [whole, ...decimals] = String(number).split(".");
  return [whole.replace(/\B(?=(\d{3})+$)/g, ","), ...decimals].join(".");
}

export function counted(number, noun) {
  return `${grouped(number)} ${noun}${number === 1 ? "" : "s"}`;
}

// The box of a view, which MathJax leaves alone.
export function root(kind, label, ...children) {
  const node = make("section", { className: `ipuaro ipuaro-live ipuaro-live-${kind} tex2jax_ignore mathjax_ignore`, aria: { label } });
  // Keys typed here are for the view: the notebook would take X for cutting the cell. Its shortcuts match
  // what has the focus, so that only there the attribute helps, and not on the box around.
  node.addEventListener("focusin", ({ target }) => target.setAttribute("data-lm-suppress-shortcuts", "true"));
  node.append(...children);
  return node;
}
