/** The latest of a task on one line: the last step of its agent, or the size of the work to approve. */
import type { Client } from "../../api/client/client.ts"
import { oneLine } from "../../base/text/one-line.ts"
import { hasTurns, type TaskState } from "../../kernel/tasks/rules.ts"
import { isOfTool, logText } from "./format/progress.ts"
import { cut, plural } from "./format/text.ts"
import { ageText } from "./format/time.ts"

type Shown = { readonly id: string; readonly state: string }

/** More makes the line wrap on most terminals. */
const TEXT_COLUMNS_MAX = 100

/** An agent rarely uses so many tools at once, whose outputs follow each other. */
const LINES_MAX = 10

/** @returns one line; undefined if the task neither runs nor waits for an approval. */
export async function latestOf(
  client: Client,
  { id, state }: Shown,
  nowMs: number,
): Promise<string | undefined> {
  if (state === "in_approval") return await sizeOf(client, id)
  if (!hasTurns(state as TaskState)) return undefined
  const { lines } = await client.log(id, { last: LINES_MAX })
  // A notice is Coppice's: what the agent does says more.
  const isOther = (line: (typeof lines)[number]) => line.kind === "notice" || isOfTool(line)
  const last = lines.findLast((line) => !isOther(line)) ?? lines.at(-1)
  if (!last) return undefined
  const [first = ""] = last.kind === "notice" ? last.text.split("\n") : [last.text]
  const text = cut(oneLine(logText({ ...last, text: first })), TEXT_COLUMNS_MAX)
  return `${text} (${ageText(last.at, nowMs)} ago)`
}

/** The size of the work that a person approves. */
export async function sizeOf(client: Client, id: string): Promise<string> {
  const { repos } = await client.diff(id)
  const files = repos.flatMap((repo) => repo.files)
  const count = repos.reduce((sum, { filesInAll }) => sum + filesInAll, 0)
  const lines = (side: "added" | "removed") =>
    files.reduce((sum, file) => sum + (file[side] ?? 0), 0)
  return `to approve: ${plural(count, "file")}, +${lines("added")} -${lines("removed")}`
}
