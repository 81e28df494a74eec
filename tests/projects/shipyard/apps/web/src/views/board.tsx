import type { board as Board } from "~"
export const board = <a />
