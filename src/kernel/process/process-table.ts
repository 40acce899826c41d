/**
 * Lists the processes of this machine as they are now.
 *
 * Uses /proc on Linux, `ps` elsewhere. Zombies are left out: they run nothing, and without a parent
 * that reaps them they stay for ever.
 */
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"

/** The variable that marks every owned child: `<mark of its owner>:<number>`. */
export const MARK_VARIABLE = "COPPICE_PROCESS"

export type ProcessRow = {
  readonly pid: number
  readonly parent: number
  readonly group: number
  /** The start time, in a form that is only good for comparison. */
  readonly started: string
  /** Whether its environment carries `mark`, or a mark that begins with `mark:`. */
  carries(mark: string): boolean
}

/** Enough for the environments of all processes of a busy machine. */
const PS_OUTPUT_BYTES_MAX = 64 * 1024 * 1024

/** Every process that this user may see. */
export function listRunning(): ProcessRow[] {
  if (process.platform !== "linux") return listByPs()
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? [])
}

/** One process; undefined if it has ended or never existed. */
export function readProcess(pid: number): ProcessRow | undefined {
  return process.platform === "linux" ? readProc(pid) : listByPs(pid)[0]
}

function readProc(pid: number): ProcessRow | undefined {
  const fields = readStat(pid)
  if (!fields || fields[0] === "Z" || fields[0] === "X") return undefined
  let marks: readonly string[] | undefined // read once, for all callers of `carries`
  const carries = (mark: string) => {
    marks ??= readMarks(pid)
    return marks.some((one) => one === mark || one.startsWith(`${mark}:`))
  }
  return {
    pid,
    parent: Number(fields[1]),
    group: Number(fields[2]),
    started: String(fields[19]),
    carries,
  }
}

function readMarks(pid: number): string[] {
  const setting = `${MARK_VARIABLE}=`
  const variables = (readProcFile(pid, "environ") ?? "").split("\0")
  return variables
    .filter((variable) => variable.startsWith(setting))
    .map((variable) => variable.slice(setting.length))
}

/** The fields of /proc/<pid>/stat from the state on: see proc_pid_stat(5). */
function readStat(pid: number): string[] | undefined {
  const stat = readProcFile(pid, "stat")
  // The second field is the program's name in parentheses, which may contain anything.
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")
}

export function readProcFile(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "latin1")
  } catch {
    return undefined // the process has ended, or is another user's
  }
}

function listByPs(pid?: number): ProcessRow[] {
  const columns = ["pid", "ppid", "pgid", "stat", "lstart", "command"]
  const which = pid === undefined ? ["-A"] : ["-p", String(pid)]
  const args = [...which, "-E", "-ww", ...columns.flatMap((name) => ["-o", `${name}=`])]
  try {
    const options = { encoding: "latin1", maxBuffer: PS_OUTPUT_BYTES_MAX } as const
    return parsePs(execFileSync("ps", args, { ...options, env: { ...process.env, LC_ALL: "C" } }))
  } catch (error) {
    if (pid !== undefined) return [] // ps answers 1 when there is no such process
    throw error
  }
}

/** Reads lines of pid, ppid, pgid, stat, lstart (five words), command and environment. */
export function parsePs(output: string): ProcessRow[] {
  const line = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+((?:\S+\s+){4}\S+)(.*)$/gm
  return [...output.matchAll(line)]
    .filter(([, , , , stat]) => !stat!.startsWith("Z"))
    .map(([, pid, parent, group, , started, command]) => ({
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      started: started!,
      carries: (mark) =>
        [" ", ":"].some((end) => `${command} `.includes(` ${MARK_VARIABLE}=${mark}${end}`)),
    }))
}
