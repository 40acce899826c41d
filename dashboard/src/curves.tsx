/** Figures of days as curves, and below them in words: a screen reader skips the drawing. */

export type Day = {
  /** `2026-05-31` */
  readonly day: string
  /** One for each curve. */
  readonly values: readonly number[]
}

type CurvesProps = {
  readonly title: string
  /** The name of each curve. */
  readonly names: readonly string[]
  /** Oldest first; other days have no figure. */
  readonly days: readonly Day[]
  words(value: number): string
}

/** Units of the drawing, which is stretched to the width of its card. */
const WIDTH = 1_000
const HEIGHT = 100
const DAY_MS = 24 * 3_600_000

export function Curves({ title, names, days, words }: CurvesProps) {
  const [first, last] = [days[0]?.day, days.at(-1)?.day]
  if (first === undefined || last === undefined) return null
  const most = Math.max(1, ...days.flatMap(({ values }) => values))
  const span = Math.max(DAY_MS, Date.parse(last) - Date.parse(first))
  const pointsOf = (at: number) =>
    days.map(({ day, values }) => {
      const x = first === last ? WIDTH / 2 : ((Date.parse(day) - Date.parse(first)) / span) * WIDTH
      return `${x.toFixed(1)} ${(HEIGHT - ((values[at] ?? 0) / most) * HEIGHT).toFixed(1)}`
    })
  return (
    <section className="card" aria-label={title}>
      <h2>{title}</h2>
      <p className="facts">
        {names.map((name, at) => (
          <span key={name} className={`curve-${at}`}>
            <b aria-hidden="true">{at === 0 ? "──" : "╌╌"}</b> {name}
          </span>
        ))}
      </p>
      <svg
        className="curves"
        aria-hidden="true"
        viewBox={`-10 -8 ${WIDTH + 20} ${HEIGHT + 16}`}
        preserveAspectRatio="none"
      >
        {[0, HEIGHT].map((y) => (
          <path key={y} className="axis" d={`M 0 ${y} H ${WIDTH}`} />
        ))}
        {names.map((name, at) => (
          <g key={name} className={`curve-${at}`}>
            <path className="line" d={`M ${pointsOf(at).join(" L ")}`} />
            {/* A line without a length is a dot, whatever the stretching. */}
            <path
              className="dots"
              d={pointsOf(at)
                .flatMap((point) => `M ${point} h 0`)
                .join(" ")}
            />
          </g>
        ))}
      </svg>
      <p className="facts ends" aria-hidden="true">
        <span>{first}</span>
        <span>the upper line: {words(most)}</span>
        {first !== last && <span>{last}</span>}
      </p>
      <ul className="bars">
        {days.map(({ day, values }) => (
          <li key={day}>
            <span>{day}</span> <span>{values.map(words).join(", ")}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
