/** Reads what the agents and the gate of programs.ts noted down. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

export type AgentNotes = {
  readonly task: string
  /** Every commit that it made. */
  readonly commits: readonly string[]
  /** Its files, as its last turn left them; undefined while a turn was under way. */
  readonly tree: string | undefined
}

export function readAgentNotes(notes: string): AgentNotes[] {
  const names = globSync("task-*", { cwd: notes, exclude: ["*.index*"] })
  return names.map((name) => {
    const lines = readFileSync(join(notes, name), "utf8").trim().split("\n")
    const words = lines.map((line) => line.split(" ") as [word: string, value?: string])
    const commits = words.flatMap(([word, value]) => (word === "commit" && value ? [value] : []))
    const [word, value] = words.at(-1) ?? []
    return { task: name.slice("task-".length), commits, tree: word === "tree" ? value : undefined }
  })
}

/** Trees that the gate has really seen pass. */
export function readPassed(file: string): ReadonlySet<string> {
  return new Set(readFileSync(file, "utf8").split("\n"))
}
