import esm from "@yard/hull/legacy/a.js"
import plain from "../rivets"
export = 1
