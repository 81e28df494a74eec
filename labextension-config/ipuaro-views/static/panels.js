// What plugins have for each open notebook, and the switches in the user's settings.

// Makes an object for each notebook, those that are open and those to come; a map of them.
export function forEachPanel(notebooks, create) {
  const made = new Map();
  const add = (panel) => {
    made.set(panel, create(panel));
    panel.disposed.connect(() => made.delete(panel));
  };
  notebooks.widgetAdded.connect((_, panel) => add(panel));
  notebooks.forEach(add);
  return made;
}

// Tells whether a switch of a plugin is on, now and whenever the user turns it.
export async function follow(registry, plugin, name, tell) {
  const settings = await registry?.load(plugin).catch(() => null);
  const told = () => tell(settings?.composite[name] !== false);
  settings?.changed.connect(told);
  told();
}
