// The theme's colours, for a canvas, which knows no CSS variables.

const NAMES = {
  back: "var(--jp-layout-color0, Canvas)",
  text: "var(--jp-content-font-color1, CanvasText)",
  quiet: "var(--jp-content-font-color2, GrayText)",
  file: "var(--jp-layout-color3, #bdbdbd)",
  line: "var(--jp-border-color0, #9e9e9e)",
  brand: "var(--jp-brand-color1, Highlight)",
  found: "var(--jp-warn-color1, #b25500)",
  cycle: "var(--jp-error-color1, #c62828)",
};

export function colours(host) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const probe = host.appendChild(document.createElement("span"));
  const read = (value) => {
    probe.style.color = value;
    // Painted over the page's ground, so that a colour that is half transparent is what one sees.
    for (const layer of ["white", ...(value === NAMES.back ? [] : [found.back]), getComputedStyle(probe).color]) {
      context.fillStyle = layer;
      context.fillRect(0, 0, 1, 1);
    }
    return `rgb(${[...context.getImageData(0, 0, 1, 1).data].slice(0, 3).join(", ")})`;
  };
  const found = {};
  for (const [name, value] of Object.entries(NAMES)) found[name] = read(value);
  probe.remove();
  return found;
}

// Calls `changed` when the front end has changed its theme; returns what ends that.
export function watchTheme(changed) {
  const observer = new MutationObserver(changed);
  observer.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "data-jp-theme-name"] });
  return () => observer.disconnect();
}
