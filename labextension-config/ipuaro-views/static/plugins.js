// The plugins of the extension. One whose modules a front end does not share is left out.

import { answersPlugin } from "./answers.js";
import { askPlugin } from "./ask.js";
import { editorPlugin } from "./editor.js";
import { errorsPlugin } from "./errors.js";
import { highlightingPlugin } from "./highlighting.js";
import { launcherPlugin } from "./launcher.js";
import { notebooksPlugin } from "./notebooks.js";
import { turnsPlugin } from "./questions/turns.js";
import { widgetsPlugin } from "./questions/widgets.js";

const PLUGINS = [
  highlightingPlugin,
  answersPlugin,
  askPlugin,
  editorPlugin,
  errorsPlugin,
  launcherPlugin,
  notebooksPlugin,
  turnsPlugin,
  widgetsPlugin,
];

export default async function create(shared) {
  const made = await Promise.allSettled(PLUGINS.map((plugin) => plugin(shared)));
  for (const { reason } of made) if (reason) console.warn(`ipuaro-views: ${reason}`);
  return made.filter(({ status }) => status === "fulfilled").map(({ value }) => value);
}
