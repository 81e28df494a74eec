;const __valued = (__code) => eval(`(${__code}\n)`);
(() => {
  // Each example is an expression and what it gives, both as code that sees this file's names.
  const told = (value) => JSON.stringify(value, (_, one) => {
    if (typeof one === "bigint" || Number.isNaN(one)) return `${one}`;
    if (one instanceof Map || one instanceof Set) return [...one];
    const isPlain = one && typeof one === "object" && !Array.isArray(one);
    return isPlain ? Object.fromEntries(Object.entries(one).sort()) : one;
  });
  const failed = [];
  console.log("MARK");
  for (const [said, meant] of EXAMPLES) {
    if (/^\(.*,.*\)$/.test(meant)) continue; // a tuple is no value here
    let given, wanted;
    try { wanted = told(__valued(meant)) } catch { continue } // in words
    try {
      const value = __valued(said);
      if (value instanceof Promise) continue;
      given = told(value);
    } catch (error) {
      const missing = error instanceof ReferenceError && error.message.match(/^\S+/)[0];
      const isUnknown = error instanceof SyntaxError || (missing && said.includes(missing))
        || /^E[A-Z]+$|MODULE_NOT_FOUND$/.test(error?.code); // it is no code, or needs what is not here
      if (!isUnknown) failed.push([said, meant, `${said} throws ${`${error}`.split("\n")[0]}`]);
      continue;
    }
    if (given !== wanted) failed.push([said, meant, `${said} gives ${given}, not ${wanted}`]);
  }
  console.log("MARK" + JSON.stringify(failed));
  process.exit();
})()
