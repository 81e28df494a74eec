import React, { memo, useCallback, useState } from "react"
import { book, type BerthEvent, KEEP } from "../berth"
import styles from "./Board.module.css"

interface Props<T> {
  rows: readonly T[]
  onPick?: (row: T) => void
  children?: React.ReactNode
}

const Line = memo(function Line({ event }: { event: BerthEvent }) {
  return <li data-kind={event.kind}>{event.ship.name} &mdash; {event.kind}</li>
})

export const Clock = React.forwardRef<HTMLTimeElement, { at: Date }>(({ at }, ref) => (
  <time ref={ref} dateTime={at.toISOString()}>
    {/* NOTE: local time */}
    {at.getHours()}:{String(at.getMinutes()).padStart(2, "0")}
  </time>
))

export default function Board<T extends BerthEvent>({ rows, onPick, ...rest }: Props<T>) {
  const [open, setOpen] = useState(false)
  const pick = useCallback((row: T) => onPick?.(row), [onPick])
  if (!open && rows.length === 0) return null
  return (
    <section className={styles.board} {...rest}>
      <h2>Berths {KEEP > 30 ? "(long)" : "(short)"}</h2>
      {rows.map((row) => (
        <button key={row.ship.name} onClick={() => { pick(row); setOpen(true) }}>
          <Line event={row} />
        </button>
      ))}
      {book("A").length > 0 && <Clock at={new Date()} />}
    </section>
  )
}

export const useBoard = () => ({
  reload() { return book("A") },
  close: async (hard = false) => hard || (await import("../berth")).default,
})
