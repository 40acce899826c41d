/** The heading of a page. It names the page in the title of the window, and gets the focus of a page that was left. */
import { useEffect, useRef } from "react"
import { clean } from "../../src/base/text/shown.ts"
import { useFleet } from "./live.ts"

/** The first page leaves the focus to the browser. */
let isFirst = true

type HeadingProps = {
  readonly text: string
  /** Only for programs that read pages aloud; the window is named after the home alone. */
  readonly isHidden?: boolean
}

export function Heading({ text, isHidden = false }: HeadingProps) {
  const { home, list } = useFleet()
  const heading = useRef<HTMLHeadingElement>(null)
  const needing = list?.tasks.filter(({ attention }) => attention).length ?? 0
  const place = [...(isHidden ? [] : [text]), home.split("/").at(-1) ?? "", "Coppice"]
  const title = `${needing > 0 ? `(${needing}) ` : ""}${place.map(clean).join(" · ")}`
  useEffect(() => {
    document.title = title
  }, [title])
  useEffect(() => {
    if (!isFirst) focusHeading(heading.current)
    isFirst = false
  }, [])
  return (
    <h1 ref={heading} tabIndex={-1} className={isHidden ? "hidden" : undefined}>
      {clean(text)}
    </h1>
  )
}

/** Moves the focus to the heading, unless a person types. */
export function focusHeading(heading = document.querySelector("h1")): void {
  if (!document.activeElement?.matches("input, textarea, select"))
    heading?.focus({ preventScroll: true })
}
