/**
 * Shows something that changes, until the user ends it: in place on a terminal, else once for each
 * change. The terminal's own screen is restored at the end.
 */
import type { Shell } from "./command.ts"

/** Ages are counted in seconds. */
const LOOK_MS = 1_000

export type Shown = {
  /** The lines that a terminal shows. */
  readonly lines: readonly string[]
  /** Compared with the last one to see whether anything changed. */
  readonly document: unknown
}

/** @param look called once a second. Lines that do not fit are cut at the end. */
export async function watch(
  { output, json, onInterrupt }: Pick<Shell, "output" | "json" | "onInterrupt">,
  look: () => Promise<Shown>,
): Promise<void> {
  const stopped = Promise.withResolvers<void>()
  let isStopped = false
  const restore = onInterrupt(() => {
    isStopped = true
    stopped.resolve()
  })
  const inPlace = !json && output.columns !== undefined
  if (inPlace) output.enterScreen()
  try {
    for (let last = ""; !isStopped; ) {
      const { lines, document } = await look()
      const now = JSON.stringify(document)
      if (inPlace) output.drawScreen(lines)
      else if (now !== last && json) output.documentLine(document)
      else if (now !== last) output.lines(last === "" ? lines : ["", ...lines])
      last = now
      await within(stopped.promise, LOOK_MS)
    }
  } finally {
    if (inPlace) output.leaveScreen()
    restore()
  }
}

async function within(stopped: Promise<void>, waitMs: number): Promise<void> {
  const waited = Promise.withResolvers<void>()
  const timer = setTimeout(waited.resolve, waitMs)
  await Promise.race([stopped, waited.promise])
  clearTimeout(timer)
}
