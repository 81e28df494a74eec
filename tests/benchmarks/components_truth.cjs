// What the compilers of Vue, Svelte and Astro say of components: the modules that they import, and
// which imported names their templates use. Paths on the standard input, a line of JSON for each.

const fs = require("fs");
const ts = require("typescript");
const vue = require("@vue/compiler-sfc");
const svelte = require("svelte/compiler");
const astro = require("@astrojs/compiler");

function byTypeScript(code) {
  const file = ts.createSourceFile("a.tsx", code, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const imports = [];
  const names = [];
  for (const statement of file.statements) {
    if (ts.isImportDeclaration(statement)) {
      imports.push(statement.moduleSpecifier.text);
      const clause = statement.importClause;
      if (clause?.name) names.push(clause.name.text);
      const bound = clause?.namedBindings;
      if (bound && ts.isNamespaceImport(bound)) names.push(bound.name.text);
      if (bound && ts.isNamedImports(bound)) names.push(...bound.elements.map((e) => e.name.text));
    } else if (ts.isExportDeclaration(statement) && statement.moduleSpecifier) {
      imports.push(statement.moduleSpecifier.text);
    }
  }
  return { file, imports, names };
}

function identifiers(node, found) {
  ts.forEachChild(node, function visit(inner) {
    const isMember =
      (ts.isPropertyAccessExpression(inner.parent) && inner.parent.name === inner) ||
      (ts.isPropertyAssignment(inner.parent) && inner.parent.name === inner) ||
      ts.isJsxAttribute(inner.parent);
    if (ts.isIdentifier(inner) && !isMember) found.add(inner.text);
    ts.forEachChild(inner, visit);
  });
}

function ofVue(source, path) {
  // The compiler looks for the types that props extend, which a package does not ship.
  const text = source.replace(/\bextends\s(?=[^{]*\{)/g, "extends /* @vue-ignore */ ");
  const { descriptor, errors } = vue.parse(text, { filename: path });
  if (errors.length) throw errors[0];
  const scripts = [descriptor.script, descriptor.scriptSetup].filter(Boolean);
  const imports = scripts.flatMap((one) => [
    ...(one.src ? [one.src] : []),
    ...byTypeScript(one.content).imports,
  ]);
  const used = [];
  if (descriptor.scriptSetup) {
    const compiled = vue.compileScript(descriptor, { id: "x", fs: { fileExists: () => false } });
    for (const [name, one] of Object.entries(compiled.imports ?? {})) {
      if (one.isUsedInTemplate && !one.isType) used.push(name);
    }
  }
  return { imports, used: descriptor.scriptSetup ? used : null };
}

function ofSvelte(source, path) {
  const tree = svelte.parse(source, { modern: true, filename: path });
  const imports = [];
  const names = new Set();
  for (const script of [tree.module, tree.instance].filter(Boolean)) {
    for (const statement of script.content.body) {
      if (statement.source) imports.push(statement.source.value);
      for (const one of statement.specifiers ?? []) if (one.local) names.add(one.local.name);
    }
  }
  const used = new Set();
  (function visit(node) {
    if (!node || typeof node !== "object") return;
    if (Array.isArray(node)) return node.forEach(visit);
    if (node.type === "Identifier") used.add(node.name.replace(/^\$(?=[A-Za-z_])/, ""));
    if (node.type === "Component") used.add(node.name.split(".")[0]);
    if (/Directive$/.test(node.type ?? "") && /^(Use|Transition|Animate)/.test(node.type)) {
      used.add(node.name.split(".")[0]);
    }
    for (const [key, value] of Object.entries(node)) {
      const isMember = key === "property" || (key === "key" && node.type === "Property");
      if ((isMember && !node.computed) || key === "metadata") continue;
      if (typeof value === "object") visit(value);
    }
  })(tree.fragment);
  return { imports, used: [...names].filter((name) => used.has(name)) };
}

async function ofAstro(source, path) {
  const parsed = await astro.parse(source, { position: true });
  const front = parsed.ast.children.find((child) => child.type === "frontmatter");
  const { imports, names } = byTypeScript(front?.value ?? "");
  const scripts = [];
  (function visit(node) {
    if (node.type === "element" && node.name === "script") {
      const src = node.attributes.find((one) => one.name === "src" && one.kind === "quoted");
      if (src && /^[./@~$]/.test(src.value)) scripts.push(src.value);
      const text = node.children.map((child) => child.value ?? "").join("");
      scripts.push(...byTypeScript(text).imports);
    }
    (node.children ?? []).forEach(visit);
  })(parsed.ast);
  const { code } = await astro.convertToTSX(source, { filename: path });
  const found = new Set();
  const { file } = byTypeScript(code);
  for (const statement of file.statements) {
    if (ts.isExpressionStatement(statement)) identifiers(statement, found);
  }
  return { imports: [...imports, ...scripts], used: names.filter((name) => found.has(name)) };
}

async function main() {
  for (const path of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
    const read = path.endsWith(".vue") ? ofVue : path.endsWith(".svelte") ? ofSvelte : ofAstro;
    let told;
    try {
      told = await read(fs.readFileSync(path, "utf8"), path);
    } catch (error) {
      told = { error: String(error).split("\n")[0] };
    }
    console.log(JSON.stringify({ path, ...told }));
  }
}

main();
