import "#/light"
import "./lib/light"
export * from "./lib"
