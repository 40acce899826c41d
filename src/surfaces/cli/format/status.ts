/** The daemon, in a few lines. */
import { readVersion } from "../../../api/client/daemon-address.ts"
import type { OtherDaemon } from "../../../api/client/other-daemon.ts"
import type { StatusDocument } from "../../../api/wire/home.ts"
import { oneLine } from "../../../base/text/one-line.ts"
import { bytesText } from "../../../base/text/sizes.ts"
import type { ScheduleDocument } from "../../../features/schedules/wire.ts"
import type { SourceDocument } from "../../../features/sources/wire.ts"
import type { Output } from "../output.ts"
import { formatTable } from "./table.ts"
import { minute, spanText } from "./time.ts"

export function statusLines(output: Output, status: StatusDocument): string[] {
  const { running, pid, home, address, version, uptimeS, tasks } = status
  const counts = Object.entries(tasks).filter(([, count]) => count > 0)
  const rows = [
    [
      "daemon",
      running ? `runs (pid ${pid}), up ${spanText((uptimeS ?? 0) * 1000)}` : "not running",
    ],
    ["home", home],
    ["address", address ?? ""],
    ["version", versionText(version)],
    ["tasks", counts.map(([state, count]) => `${count} ${state}`).join(", ")],
    ["pool", poolText(status)],
    ...(status.schedules ?? []).map((one) => ["schedule", oneLine(scheduleText(one))]),
    ...(status.sources ?? []).map((source) => ["source", sourceText(source)]),
    ...(status.maintenance?.problems ?? []).map((text) => ["problem", oneLine(text)]),
  ].filter(([, value]) => value !== "")
  return formatTable(rows.map(([name, value]) => [output.paint("dim", name!), value!]))
}

/** Empty where no daemon runs. */
function versionText(version: string | null): string {
  const own = readVersion()
  return version === null || version === own
    ? (version ?? "")
    : `${version}, but this command is ${own}: after \`coppice down\`, the next command starts ${own}`
}

/** One line on a source. Its error, if it has one, is listed with the problems. */
function sourceText({ name, polledAt, open, max }: SourceDocument): string {
  return `${name}: ${polledAt === null ? "not polled yet" : `polled at ${polledAt}`}, ${open} of ${max} items open`
}

/** How the daemon differs from this command, and how to fix it. */
export function otherDaemonLines(other: OtherDaemon): string[] {
  if (other.kind === "version")
    return [
      `coppice: the daemon runs version ${other.daemon}, and this command is version ${other.own}.`,
      "  It is replaced when it has nothing to do. `coppice down` ends it now; tasks continue with the next command.",
    ]
  return [
    `coppice: the daemon runs with other values of ${other.names.join(", ")} than this shell. Agents and gates get the daemon's.`,
    "  `coppice down && coppice up -d` starts it with the values of this shell; tasks continue.",
  ]
}

/** `coder/nightly: next 2026-05-31 09:00 (0 9 * * *)`. */
export function scheduleText(one: ScheduleDocument): string {
  const { agent, name, nextAt, timing, problem } = one
  const next = nextAt === null ? "off" : `next ${minute(nextAt)}`
  return `${agent}/${name}: ${next} (${timing})${problem === null ? "" : `; ${problem}`}`
}

/** Empty if no worktree waits for a task. */
function poolText({ pool }: StatusDocument): string {
  if (!pool || pool.worktrees === 0) return ""
  const room = pool.bytes > 0 ? `, ${bytesText(pool.bytes)}` : ""
  return `${pool.worktrees} worktree${pool.worktrees === 1 ? "" : "s"} made ahead${room}`
}
