import parts from "./lib/index.js"
import "./lib"
export default parts
