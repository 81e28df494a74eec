export type Rivet = number
export const rivet: Rivet = 1
