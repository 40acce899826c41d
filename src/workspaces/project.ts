/** Reads a project's facts from a folder; see core/ecosystems. */
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { FILES_READ, FOLDER_READ, type Project } from "../core/ecosystems/project.ts"
import { findPlain } from "../process/plain-file.ts"

/** Reads the project whose root is the folder `root`; without a folder, the project is empty. */
export async function readProject(root: string): Promise<Project> {
  const names = await readdir(root).catch(emptyWhenAbsent)
  const below = names.includes(FOLDER_READ)
    ? await readdir(join(root, FOLDER_READ)).catch(emptyWhenAbsent)
    : []
  const files = new Set([...names, ...below.map((name) => `${FOLDER_READ}/${name}`)])
  const texts: Record<string, string> = {}
  for (const name of FILES_READ.filter((one) => files.has(one))) {
    const text = findPlain(join(root, name))?.toString()
    if (text !== undefined) texts[name] = text
    else files.delete(name) // a folder, or a pipe: no tool's file
  }
  return { files, texts }
}

function emptyWhenAbsent(error: NodeJS.ErrnoException): string[] {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return []
  throw error
}
