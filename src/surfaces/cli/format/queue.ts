/** The landing queues as a table for people. */

import type { QueueDocument } from "../../../api/wire/landings.ts"
import { oneLine } from "../../../base/text/one-line.ts"
import type { Output } from "../output.ts"
import { formatTable } from "./table.ts"
import { cut } from "./text.ts"
import { ageText } from "./time.ts"

/** Longer titles are cut, so that the reason of a wait stays readable. */
const TITLE_COLUMNS_MAX = 32

export function queueLines(output: Output, { queues }: QueueDocument, nowMs: number): string[] {
  if (queues.length === 0) return ["The queue is empty."]
  return queues.flatMap(({ path, target, landings }) => {
    const rows = landings.map(({ task, state, since, title, waitingFor }) => [
      `  ${task}`,
      state,
      ageText(since, nowMs),
      cut(oneLine(title), TITLE_COLUMNS_MAX),
      oneLine(waitingFor ?? ""),
    ])
    const heading = ["  TASK", "LANDING", "FOR", "TITLE", "WAITS FOR"]
    const painted = heading.map((name) => output.paint("dim", name))
    const name = output.paint("bold", `${oneLine(target)} of ${oneLine(path)}`)
    return [name, ...formatTable([painted, ...rows], output.columns)]
  })
}
