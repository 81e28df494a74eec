// What the JSON must be. A notebook may come from anywhere: nothing of it is believed.

import { grouped } from "./dom.js";

export class WrongData extends Error {}

const isText = (value) => typeof value === "string";
const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
const isCell = (value) => value === null || isText(value) || isNumber(value);
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const orNull = (test) => (value) => value === null || value === undefined || test(value);
const listOf = (test) => (value) => Array.isArray(value) && value.every(test);
const indexBelow = (limit) => (value) => Number.isInteger(value) && value >= 0 && value < limit;
const KINDS = ["text", "number", "path", "bar"];
// More than the kernel sends, and what a page can still draw.
const MOST = { columns: 1000, cells: 250_000, nodes: 5000, edges: 50_000, "files in cycles": 50_000 };
const DEEPEST = 100;

function expect(holds, what) {
  if (!holds) throw new WrongData(what);
}

function expectFew(count, what) {
  expect(count <= MOST[what], `it has ${grouped(count)} ${what}, more than ${grouped(MOST[what])}`);
}

function expectVersion(data) {
  expect(isObject(data), "it is no JSON object");
  expect(data.version === 1, `its version is ${JSON.stringify(data.version) ?? "missing"}, not 1`);
  expect(isText(data.title), '"title" is no text');
}

export function checkTable(data) {
  expectVersion(data);
  expect(orNull(isText)(data.note), '"note" is no text');
  const isColumn = (column) =>
    isObject(column) && isText(column.name) && KINDS.includes(column.kind) && orNull(isNumber)(column.max);
  expect(listOf(isColumn)(data.columns) && data.columns.length > 0, '"columns" is no list of columns');
  expectFew(data.columns.length, "columns");
  const isRow = (row) => Array.isArray(row) && row.length === data.columns.length && row.every(isCell);
  expect(listOf(isRow)(data.rows), `"rows" is no list of rows of ${data.columns.length} cells`);
  expectFew(data.rows.length * data.columns.length, "cells");
  const isCount = (count) => Number.isInteger(count) && count >= 0 && count <= data.rows.length;
  expect(orNull(isCount)(data.listed), '"listed" is no number of rows');
  expect(orNull(isText)(data.folder), '"folder" is no address');
  const isLink = (link) => isObject(link) && orNull(isText)(link.href) && orNull(isNumber)(link.line);
  expectOnePerRow(data, "links", isLink);
  const isCode = (code) => isObject(code) && isText(code.title) && isText(code.html);
  expectOnePerRow(data, "code", isCode);
  return data;
}

function expectOnePerRow(data, name, test) {
  const list = data[name] ?? [];
  const counts = [0, data.rows.length, data.listed];
  const fits = Array.isArray(list) && counts.includes(list.length);
  expect(fits && list.every(orNull(test)), `"${name}" is no list of one per row`);
}

export function checkGraph(data) {
  expectVersion(data);
  expect(orNull(isText)(data.focus), '"focus" is no path');
  expect(orNull((depth) => Number.isInteger(depth) && depth >= 0)(data.depth), '"depth" is no number of edges');
  expect(["in", "out", "both"].includes(data.direction ?? "both"), '"direction" is no way to follow edges');
  const isNode = (node) =>
    isObject(node) &&
    isText(node.id) &&
    isText(node.folder) &&
    listOf(isText)(node.marks) &&
    orNull(isNumber)(node.loc) &&
    orNull(isNumber)(node.score) &&
    orNull(isText)(node.href);
  expect(listOf(isNode)(data.nodes), '"nodes" is no list of files');
  expectFew(data.nodes.length, "nodes");
  const depth = data.nodes.reduce((most, node) => Math.max(most, node.folder.split("/").length), 0);
  expect(depth <= DEEPEST, `its folders are ${grouped(depth)} deep, more than ${grouped(DEEPEST)}`);
  const isIndex = indexBelow(data.nodes.length);
  const isEdge = (edge) => Array.isArray(edge) && edge.length === 2 && edge.every(isIndex);
  expect(listOf(isEdge)(data.edges), '"edges" is no list of pairs of nodes');
  expectFew(data.edges.length, "edges");
  expect(listOf(listOf(isIndex))(data.cycles), '"cycles" is no list of lists of nodes');
  expectFew(data.cycles.reduce((sum, cycle) => sum + Math.max(1, cycle.length), 0), "files in cycles");
  expect(orNull(isNumber)(data.truncated), '"truncated" is no number');
  return data;
}
