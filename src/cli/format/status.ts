/** The daemon, in a few lines. */

import { bytesText } from "../../core/sizes.ts"
import type { StatusDocument } from "../../core/wire.ts"
import type { Output } from "../output.ts"
import { formatTable } from "./table.ts"
import { oneLine } from "./text.ts"
import { span } from "./time.ts"

export function statusLines(output: Output, status: StatusDocument): string[] {
  const { running, pid, home, address, version, uptimeS, tasks } = status
  const counts = Object.entries(tasks).filter(([, count]) => count > 0)
  const rows = [
    ["daemon", running ? `runs (pid ${pid}), up ${span((uptimeS ?? 0) * 1000)}` : "not running"],
    ["home", home],
    ["address", address ?? ""],
    ["version", version ?? ""],
    ["tasks", counts.map(([state, count]) => `${count} ${state}`).join(", ")],
    ["pool", poolText(status)],
    ...(status.maintenance?.problems ?? []).map((text) => ["look at", oneLine(text)]),
  ].filter(([, value]) => value !== "")
  return formatTable(rows.map(([name, value]) => [output.paint("dim", name!), value!]))
}

/** Empty if no worktree waits for a task. */
function poolText({ pool }: StatusDocument): string {
  if (!pool || pool.worktrees === 0) return ""
  const room = pool.bytes > 0 ? `, ${bytesText(pool.bytes)}` : ""
  return `${pool.worktrees} worktree${pool.worktrees === 1 ? "" : "s"} made ahead${room}`
}
