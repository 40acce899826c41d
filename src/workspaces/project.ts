/** The facts about a project's tools in its root, from which commands are guessed. */
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { findPlain } from "../process/plain-file.ts"

export type Project = {
  /** Names of the files in the root, and paths of a few that matter below it. */
  readonly files: ReadonlySet<string>
  /** Contents of those files of {@link FILES_READ} that exist. */
  readonly texts: Readonly<Record<string, string>>
}

/** Files whose contents decide, not their presence alone. */
export const FILES_READ = ["package.json", "pyproject.toml", "setup.cfg", "tox.ini", "Makefile"]

/** Reads the project whose root is the folder `root`; without a folder, the project is empty. */
export async function readProject(root: string): Promise<Project> {
  const names = await readdir(root).catch(emptyWhenAbsent)
  const tests = names.includes("tests")
    ? await readdir(join(root, "tests")).catch(emptyWhenAbsent)
    : []
  const files = new Set([...names, ...tests.map((name) => `tests/${name}`)])
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
