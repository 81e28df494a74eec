// The container that JupyterLab and Notebook 7 load: what webpack's module federation would generate, by
// hand. Each module is an ES module beside this file whose default export makes it from what is shared.
// https://jupyterlab.readthedocs.io/en/stable/extension/extension_dev.html#prebuilt-extensions
(() => {
  const base = document.currentScript.src;
  const modules = { "./mime": "mime.js", "./plugins": "plugins.js", "./style": "style.js" };
  let scope = {};

  // The version that the application uses: the one that is loaded already, else the newest.
  function choose(versions) {
    const newer = (a, b) => a.localeCompare(b, undefined, { numeric: true }) > 0;
    const better = (a, b) => (versions[a].loaded ? a : versions[b].loaded || newer(b, a) ? b : a);
    return versions[Object.keys(versions).reduce(better)];
  }

  async function shared(name) {
    if (!scope[name]) throw new Error(`ipuaro-views: this front end does not share ${name}`);
    const factory = await choose(scope[name]).get();
    return factory();
  }

  async function get(name) {
    if (!modules[name]) throw new Error(`ipuaro-views has no module ${name}`);
    const { default: create } = await import(new URL(modules[name], base));
    const created = await create(shared);
    return () => ({ __esModule: true, default: created });
  }

  window._JUPYTERLAB = window._JUPYTERLAB || {};
  window._JUPYTERLAB["ipuaro-views"] = { get, init: (shareScope) => void (scope = shareScope) };
})();
