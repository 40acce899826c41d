/** Prints something that changes, once for each change, until the user ends it. For pipes and files. */
import type { Shell } from "./command.ts"

const POLL_MS = 1_000

type Shown = {
  readonly lines: readonly { readonly text: string }[]
  /** Compared with the last one to see whether anything changed. */
  readonly document: unknown
  /** False: the daemon has ended. */
  readonly isLive: boolean
}

const ENDED = "The daemon has ended. This was its last list."

/** @param look called once a second. */
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
  try {
    for (let last = ""; !isStopped; ) {
      const { lines, document, isLive } = await look()
      const now = JSON.stringify(document)
      if (now !== last && json) output.documentLine(document)
      else if (now !== last) {
        const note = isLive ? [] : [ENDED]
        output.lines([...(last === "" ? [] : [""]), ...lines.map(({ text }) => text), ...note])
      }
      last = now
      await within(stopped.promise, POLL_MS)
    }
  } finally {
    restore()
  }
}

async function within(stopped: Promise<void>, waitMs: number): Promise<void> {
  const waited = Promise.withResolvers<void>()
  const timer = setTimeout(waited.resolve, waitMs)
  await Promise.race([stopped, waited.promise])
  clearTimeout(timer)
}
