;(() => {
  // Each example is an expression and what it gives, both as code that sees this file's names.
  const failed = [];
  for (const [said, meant] of EXAMPLES) {
    if (/^\(.*,.*\)$/.test(meant)) continue; // a tuple is no value here
    let given, wanted;
    try { wanted = JSON.stringify(eval(`(${meant})`)) } catch { continue } // in words
    try { given = eval(`(${said})`) } catch (error) {
      if (!(error instanceof SyntaxError)) failed.push(`${said} throws ${error}`); // else it is no code
      continue;
    }
    if (given instanceof Promise) continue;
    given = JSON.stringify(given);
    if (given !== wanted) failed.push(`${said} gives ${given}, not ${wanted}`);
  }
  console.log(failed.join("\n"));
  process.exit(failed.length ? 4 : 0);
})()
