/** Reads the notes of the agents and the gate in programs.ts. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

export type AgentNotes = {
  readonly task: string
  /** Every commit that it made. */
  readonly commits: readonly Change[]
  /** The files as the agent's last turn left them, uncommitted ones too; undefined in a turn. */
  readonly tree: Change | undefined
  /** Files in its worktree before it began. */
  readonly found: readonly string[]
  /** Files of other tasks that it may bring to the target a second time. */
  readonly again: readonly string[]
  /** Hostile inputs that it tried, by their names. */
  readonly hostile: readonly string[]
  /** The agent was killed after one of them, perhaps in the middle. */
  readonly isCutShort: boolean
}

/** A commit or tree, and the patch-id of what it changes; empty where it changes nothing. */
export type Change = { readonly oid: string; readonly patch: string }

export function readAgentNotes(notes: string): AgentNotes[] {
  const names = globSync("task-*", { cwd: notes, exclude: ["*.index*"] })
  return names.map((name) => {
    const lines = readFileSync(join(notes, name), "utf8").trim().split("\n")
    const all = lines.map((line) => /^(\w+) (.*)$/.exec(line)?.slice(1) ?? [])
    const noted = (word: string) => all.flatMap(([one, value]) => (one === word ? [value!] : []))
    const [word, value] = all.at(-1) ?? []
    return {
      task: name.slice("task-".length),
      tree: word === "tree" && value ? changeOf(value) : undefined,
      commits: noted("commit").map(changeOf),
      found: noted("found"),
      again: noted("again"),
      hostile: noted("hostile"),
      isCutShort: /^hostile .*\n(.*\n)*?begin 1$/m.test(lines.join("\n")),
    }
  })
}

function changeOf(text: string): Change {
  const [oid = "", patch = ""] = text.split(" ")
  return { oid, patch }
}

/** The trees that passed the gate. */
export function readPassed(file: string): ReadonlySet<string> {
  return new Set(readFileSync(file, "utf8").split("\n"))
}
