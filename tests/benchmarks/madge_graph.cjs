// The graph of imports as madge sees it, as JSON: for each file what it imports.
//
//     node madge_graph.cjs FOLDER

const madge = require("madge");

const extensions = ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"];

madge(process.argv[2], { fileExtensions: extensions }).then((found) => {
  process.stdout.write(JSON.stringify(found.obj()));
});
