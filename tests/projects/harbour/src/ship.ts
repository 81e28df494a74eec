export interface Ship { name: string; draught: number }
export type Cargo = { kg?: number; label: string } & Partial<Record<"hazard" | "cold", boolean>>
export const flags = ["nl", "pt", "no"] as const satisfies readonly string[]
export type Flag = (typeof flags)[number]
