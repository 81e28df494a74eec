export * from "./beam"
export { bolt } from "./parts"
import board = require("./board")
import { util } from "./util.js"
import "./style.css"
import "./view"
