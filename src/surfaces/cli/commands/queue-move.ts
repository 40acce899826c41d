/** `queue move <task> <place>`: moves a landing within its queue. */
import type { QueuePlace } from "../../../api/wire/landings.ts"
import type { Command } from "../command.ts"
import { UsageError } from "../errors.ts"
import { queueLines } from "../format/queue.ts"

export const command: Command = {
  operands: "<task> <first | last | before | after> [task]",
  options: {},
  details:
    "The task gets the priority of its new neighbour. A landing under way keeps its place, and so does\n" +
    "one that was overtaken ten times.",

  async run({ connect, output, json, nowMs }, positionals) {
    const { ref, place } = moveFrom(positionals)
    const queue = await (await connect()).moveInQueue(ref, place)
    if (json) output.document(queue)
    else output.lines(queueLines(output, queue, nowMs))
    return 0
  },
}

/** @throws UsageError */
function moveFrom([ref, at, task, ...rest]: readonly string[]): { ref: string; place: QueuePlace } {
  const isEnd = (at === "first" || at === "last") && task === undefined
  const isBeside = (at === "before" || at === "after") && task !== undefined
  if (ref === undefined || !(isEnd || isBeside) || rest.length > 0)
    throw new UsageError(
      "`queue move` takes a task, and `first`, `last`, `before <task>` or `after <task>`.",
      ["`coppice queue` lists the order."],
    )
  return { ref, place: isEnd ? { at } : { at: at as "before" | "after", task } }
}
