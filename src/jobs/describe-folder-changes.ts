/** Describes what an agent has left in a static folder. */
import { AppError } from "../core/errors.ts"
import type { Reason } from "../core/task.ts"
import { displayPath } from "../git/start/path.ts"
import type { Task } from "../store/tasks/row.ts"
import { listFolderChanges } from "../workspaces/folder-state.ts"

/** How many paths are named; `git status` shows the others. */
const NAMED_MAX = 5

/** @returns the reason with which the task is complete. */
export async function describeFolderChanges({ repos }: Task): Promise<Reason> {
  const parts: string[] = []
  for (const { path, asFound } of repos) {
    const changed = asFound === null ? "unknown" : await listChanged(path, asFound)
    if (typeof changed === "string") parts.push(`changes in ${path} are unknown`)
    else if (changed.length > 0) parts.push(`${sum(changed)} in ${path}`)
  }
  if (parts.length === 0) return { code: "no_changes", text: "Nothing changed." }
  return { code: "left_in_place", text: `The work stays where it is: ${parts.join("; ")}.` }
}

/** The work is done, so failing to list the changes is no error. */
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
