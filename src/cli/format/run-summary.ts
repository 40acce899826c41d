/** The settings of a new task, shown before it starts. */
import type { TakenDocument } from "../../core/wire/requests.ts"
import type { TaskDocument } from "../../core/wire/tasks.ts"
import type { Output } from "../output.ts"
import { formatTable } from "./table.ts"
import { oneLine } from "./text.ts"

const LANDS: Readonly<Record<string, string>> = {
  merge: "on the target, automatically",
  approve: "on the target, once you approve it",
  none: "never: the branch is left for you",
}

export function runSummary(output: Output, task: TaskDocument, taken: TakenDocument): string[] {
  const { agent, runtime, repos, land } = taken
  const rows = [
    ["agent", agent === runtime ? agent : `${agent} (${runtime})`],
    ...repos.flatMap(({ name, target, setup, gate, notes }) => [
      ["target", `${target} of ${name}`],
      ["setup", setup ?? "none"],
      ["gate", gate ?? "none: nothing is tested"],
      ...notes.map((note) => ["note", note]),
    ]),
    ["lands", LANDS[land] ?? land],
  ]
  const painted = rows.map(([name, value]) => [`  ${output.paint("dim", name!)}`, oneLine(value!)])
  return [output.paint("bold", `${task.id}  ${oneLine(task.title)}`), ...formatTable(painted), ""]
}
