/** The wait of `coppice mcp` for a task, with reports of progress. It ends before the program that called the tool gives up. */

import type { TaskDocument } from "../../api/wire/tasks.ts"
import { isSettled, type TaskState } from "../../kernel/tasks/rules.ts"
import { briefly } from "./task-brief.ts"
import type { Call } from "./tool.ts"

/** Below a minute, after which programs usually give a tool up. */
export const WAIT_S_MAX = 55

type Asked = { readonly task: string; readonly seconds: number }

export async function waitForTask(call: Call, { task, seconds }: Asked): Promise<object> {
  const { client } = call
  const { id } = await client.show(task)
  const until = AbortSignal.any([call.signal, AbortSignal.timeout(seconds * 1000)])
  await untilStill(call, id, until)
  const last = await client.show(id)
  if (isStill(last)) return { stillUnderWay: false, task: briefly(last) }
  const why = await client.why(id)
  return { stillUnderWay: true, task: briefly(last), why }
}

/** Without a daemon nothing moves, and nothing is waited for. */
async function untilStill({ client, report }: Call, id: string, signal: AbortSignal) {
  const { events } = await client.events({ task: id, last: 1 })
  const after = events.at(-1)?.seq ?? 0
  if (isStill(await client.show(id)) || !(await client.status()).running) return
  for await (const { type } of client.followEvents({ task: id, after, signal })) {
    await report(`task ${id}: ${type}`)
    if (isStill(await client.show(id))) return
  }
}

/** Whether only a person can move the task on. */
const isStill = ({ state, attention }: TaskDocument): boolean =>
  attention || isSettled(state as TaskState)
