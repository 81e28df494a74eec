export const rope: number
