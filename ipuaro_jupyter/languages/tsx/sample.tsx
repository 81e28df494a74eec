import React, { memo } from "react"

type Props = { text: string; on?: () => void }

export const Badge: React.FC<Props> = ({ text, on }) => {
  const click = () => on?.()
  return (
    <button onClick={click} data-kind="TODO: no">
      {/* NOTE: keep in sync */}
      TODO: plain text {text}
    </button>
  )
}

export const Row = memo(React.forwardRef<HTMLDivElement, Props>(function Inner(props, ref) {
  return props.text ? <div ref={ref}><Badge {...props} /></div> : null
}))

export default function App<T,>({ rows }: { rows: T[] }) {
  return rows.map((row) => <Row text={String(row)} />)
}
