export const bolt = 1
