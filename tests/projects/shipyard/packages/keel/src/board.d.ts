declare const board: number
export = board
