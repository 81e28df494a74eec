// Texts inside the elements that match a selector whose contrast (WCAG) is below a limit.
([selector, limit]) => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const mix = (layers) => {
    canvas.clearRect(0, 0, 1, 1);
    for (const layer of layers) { canvas.fillStyle = layer; canvas.fillRect(0, 0, 1, 1); }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = [];
  for (const root of document.querySelectorAll(selector)) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode.parentElement;
      const skipped = node.closest('style, [aria-hidden]') || !node.checkVisibility();
      if (skipped || !walker.currentNode.data.trim()) continue;
      const chain = [];
      let opacity = 1;
      for (let at = node; at; at = at.parentElement) {
        chain.unshift(at);
        opacity *= Number(getComputedStyle(at).opacity);
      }
      const backgrounds = ['white', ...chain.map(at => getComputedStyle(at).backgroundColor)];
      const behind = mix(backgrounds);
      const full = mix([...backgrounds, getComputedStyle(node).color]);
      const seen = full.map((v, i) => v * opacity + behind[i] * (1 - opacity));
      const [a, b] = [light(seen), light(behind)].sort((x, y) => y - x);
      const contrast = (a + 0.05) / (b + 0.05);
      if (contrast < limit) found.push(`${contrast.toFixed(2)} ${node.className}: ${walker.currentNode.data}`);
    }
  }
  return found;
}
