import { a as required } from "./a.cjs"
import "./a"
import "./a.mjs"
export const a = 1
