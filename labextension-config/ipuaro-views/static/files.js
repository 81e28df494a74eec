// Links to the project's files, opened by the front end itself.

import { make } from "./dom.js";
import { visible } from "./visible.js";

// A link that opens `href` (a relative URL from the notebook's folder) in the front end at `line` (from 1).
// Plain text when there is no such link, or when it is not a file below the server's folder.
export function fileLink(text, href, line, { resolver, linkHandler }) {
  const label = visible(text);
  if (!href || !resolver || !isInside(href, resolver.path ?? "")) return make("span", { textContent: label });
  const link = make("a", { textContent: label, title: line ? `Open at line ${line}` : "Open" });
  connect(link, href, line, resolver, linkHandler).catch(() => link.removeAttribute("href"));
  return link;
}

// Not an address of another place, nor above the server's folder, whatever the JSON says.
function isInside(href, notebook) {
  try {
    const url = new URL(href, "relative-to:///");
    return url.protocol === "relative-to:" && url.host === "" && !/^[/\\]/.test(href) && !leaves(href, notebook);
  } catch {
    return false;
  }
}

async function connect(link, href, line, resolver, linkHandler) {
  const resolved = await resolver.resolveUrl(href);
  // The editor counts the lines of a fragment from 0.
  linkHandler?.handleLink(link, decodeURIComponent(resolved), line ? `#line=${line - 1}` : "");
  link.href = await resolver.getDownloadUrl(resolved);
}

// Whether more steps lead up than there are folders above the notebook: the front end would drop the rest.
function leaves(href, notebook) {
  let depth = notebook.split("/").length - 1;
  for (const part of decodeURIComponent(href).split("/")) {
    if (part === "..") depth -= 1;
    else if (part && part !== ".") depth += 1;
    if (depth < 0) return true;
  }
  return false;
}
