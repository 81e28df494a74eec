export const bow = 1
