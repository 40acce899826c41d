/**
 * Whether the processes of a group do anything: what each has used and read so far.
 *
 * One that runs or waits for its disk is at work, however long. One that sleeps or was stopped is not, until
 * it has used the processor, read, written or woken up since the last look.
 */
import { execFileSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { readProcFile, readStat } from "./process-table.ts"

/** Running, and waiting in the kernel for what cannot be broken off; both as Linux and as `ps` name it. */
const AT_WORK = /^[RDU]/
const PS_OUTPUT_BYTES_MAX = 16 * 1024 * 1024

/** Of each group, by its number: a text that stays the same while it does nothing; undefined: it is at work. */
export type Activity = ReadonlyMap<number, string | undefined>

/** Looks at all processes of the machine, once: some ms. */
export function readActivity(groups: ReadonlySet<number>): Activity {
  const rows = process.platform === "linux" ? readByProc(groups) : readByPs()
  const activity = new Map<number, string | undefined>([...groups].map((group) => [group, ""]))
  for (const { group, state, did } of rows) {
    const before = activity.get(group)
    if (before === undefined) continue // nobody asks, or another of it is at work
    activity.set(group, AT_WORK.test(state) ? undefined : `${before}${did}\n`)
  }
  return activity
}

type Row = { readonly group: number; readonly state: string; readonly did: string }

function readByProc(groups: ReadonlySet<number>): Row[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  return pids.flatMap((name) => {
    const pid = Number(name)
    const fields = readStat(pid)
    const group = Number(fields?.[2])
    if (!fields || !groups.has(group)) return []
    const used = fields.slice(7, 13) // page faults and time
    const wakes = /^voluntary_ctxt_switches:.*$/m.exec(readProcFile(pid, "status") ?? "")?.[0]
    const did = [pid, ...used, wakes, readProcFile(pid, "io")].join(" ")
    return [{ group, state: fields[0] ?? "", did }]
  })
}

function readByPs(): Row[] {
  const args = ["-A", "-o", "pgid=", "-o", "stat=", "-o", "pid=", "-o", "time="]
  const output = execFileSync("ps", args, { encoding: "latin1", maxBuffer: PS_OUTPUT_BYTES_MAX })
  return output.split("\n").flatMap((line) => {
    const [, group, state = "", did = ""] = /^\s*(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? []
    return group === undefined ? [] : [{ group: Number(group), state, did }]
  })
}
