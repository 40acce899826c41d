/** What an agent has left in a folder that it worked in as it is. */
import { AppError } from "../core/errors.ts"
import type { Reason } from "../core/task.ts"
import { displayPath } from "../git/path.ts"
import type { Task } from "../store/tasks/row.ts"
import { listFolderChanges } from "../workspaces/folder-state.ts"

/** Paths that are named; `git status` shows the others. */
const NAMED_MAX = 5

/** @returns what completes the task, as its reason. */
export async function readLeft({ repos }: Task): Promise<Reason> {
  const parts: string[] = []
  for (const { path, asFound } of repos) {
    const changed = asFound === null ? "unknown" : await listChanged(path, asFound)
    if (typeof changed === "string") parts.push(`what changed in ${path} is not known`)
    else if (changed.length > 0) parts.push(`${sum(changed)} in ${path}`)
  }
  if (parts.length === 0) return { code: "no_changes", text: "Nothing changed." }
  return { code: "left_in_place", text: `The work stays where it is: ${parts.join("; ")}.` }
}

/** The work is done: what cannot be told about it is no failure. */
async function listChanged(...asked: Parameters<typeof listFolderChanges>) {
  try {
    return await listFolderChanges(...asked)
  } catch (error) {
    if (!(error instanceof AppError) || error.blame === "bug") throw error
    return "unknown"
  }
}

function sum(paths: Awaited<ReturnType<typeof listFolderChanges>>): string {
  const named = paths.slice(0, NAMED_MAX).map(displayPath).join(", ")
  const more = paths.length > NAMED_MAX ? ", …" : ""
  return `${paths.length} changed file${paths.length === 1 ? "" : "s"} (${named}${more})`
}
