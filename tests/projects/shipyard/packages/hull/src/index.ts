import { rivet } from "./rivets.js"
import { rivet as bare } from "./rivets"
import { rivet as own } from "#rivets"
import { bow } from "#plates/bow"
import { keel } from "#keel"
import "#built"
import "#none"
import "#out"
import "#loop"
import "#ext/rivets.js"
import * as self from "@yard/hull"
import { bow as exported } from "@yard/hull/plates/bow"
import "@yard/hull/plates/secret"
import "@yard/hull/plates/inner/x"
import "@yard/hull/missing"
import "@yard/hull/either"
import "@yard/hull/built"
import "@yard/hull/deep"
import "@yard/hull/old/index.ts"
import data from "./data.json" with { type: "json" }
import again from "@yard/hull/data" with { type: "json" }
import { a } from "@yard/hull/legacy/a.js"
import c = require("@yard/hull/legacy/a.js")
import folder from "./plates"
import fs from "node:fs"
import path from "path"
export * from "./plates/bow.js"
export type Later = import("./rivets.js").Rivet
export const later = () => import("@yard/hull/legacy/a.js")
export const missing = () => import("./gone.js")
