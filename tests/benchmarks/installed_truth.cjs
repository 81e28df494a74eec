// Where TypeScript takes the exports of installed packages to be declared, as JSON.
//
// Arguments: the project's folder, and the names of packages. Output: for each package
// [name, [[export, [[file relative to the folder, 1-based line of the name]…]]…]]; a package that
// TypeScript does not find has an empty list.
"use strict";

const path = require("node:path");
const ts = require("typescript");

const [root, ...packages] = process.argv.slice(2);
const file = (index) => path.join(root, `import${index}.mts`);
const texts = new Map(packages.map((name, i) => [file(i), `import * as all from "${name}"; all;\n`]));
const options = {
  module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler,
  target: ts.ScriptTarget.ES2022, esModuleInterop: true, allowJs: true, skipLibCheck: true, noEmit: true,
  types: [], customConditions: ["node"],
};
const host = ts.createCompilerHost(options);
const read = host.readFile;
const exists = host.fileExists;
const source = host.getSourceFile;
host.readFile = (name) => texts.get(name) ?? read(name);
host.fileExists = (name) => texts.has(name) || exists(name);
host.getSourceFile = (name, version) =>
  texts.has(name) ? ts.createSourceFile(name, texts.get(name), version) : source(name, version);
const program = ts.createProgram([...texts.keys()], options, host);
const checker = program.getTypeChecker();

function places(symbol) {
  const own = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  return (own.declarations ?? []).map((node) => {
    const at = ts.getNameOfDeclaration(node) ?? node;
    const holder = node.getSourceFile();
    const line = holder.getLineAndCharacterOfPosition(at.getStart(holder)).line + 1;
    return [path.relative(root, holder.fileName), line];
  });
}

const found = packages.map((name, i) => {
  const statement = program.getSourceFile(file(i)).statements[0];
  const module = checker.getSymbolAtLocation(statement.moduleSpecifier);
  const exported = module ? checker.getExportsOfModule(module) : [];
  return [name, exported.map((one) => [one.name, places(one)])];
});
process.stdout.write(JSON.stringify(found));
