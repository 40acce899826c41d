/** Keeps a worktrees folder inside the repository out of the main worktree's status and commits. */
import { appendFile, mkdir } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { Repository } from "../../git/ask/repository.ts"
import { readPlainText } from "../../process/plain-file.ts"
import { pathInside } from "../worktrees-folder.ts"

/** Adds the folder to `info/exclude`, once. Called under the repository's lock. */
export async function excludeFolder(repository: Repository, folder: string): Promise<void> {
  const inside = pathInside(repository.root, folder)
  if (repository.bare || inside === undefined) return
  const file = join(repository.commonDir, "info", "exclude")
  const text = readPlainText(file) ?? ""
  const line = `/${inside.replace(/[\\*?[\] ]/g, "\\$&")}/`
  if (text.split("\n").includes(line)) return
  await mkdir(dirname(file), { recursive: true })
  await appendFile(file, `${text === "" || text.endsWith("\n") ? "" : "\n"}${line}\n`)
}
