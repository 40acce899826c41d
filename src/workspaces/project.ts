/** What the root of a project shows about its tools: the facts from which commands are guessed. */
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"

export type Project = {
  /** Names of the files in the root, and paths of a few that matter below it. */
  readonly files: ReadonlySet<string>
  /** Contents of those files of {@link FILES_READ} that exist. */
  readonly texts: Readonly<Record<string, string>>
}

/** Files whose contents decide, and not their presence alone. */
export const FILES_READ = ["package.json", "pyproject.toml", "setup.cfg", "tox.ini", "Makefile"]

/** Reads the project whose root is the folder `root`; an absent folder is an empty project. */
export async function readProject(root: string): Promise<Project> {
  const files = await readdir(root).catch(emptyWhenAbsent)
  const tests = files.includes("tests") ? await readdir(join(root, "tests")) : []
  const texts: Record<string, string> = {}
  for (const name of FILES_READ)
    if (files.includes(name)) texts[name] = await readFile(join(root, name), "utf8")
  return { files: new Set([...files, ...tests.map((name) => `tests/${name}`)]), texts }
}

function emptyWhenAbsent(error: NodeJS.ErrnoException): string[] {
  if (error.code === "ENOENT") return []
  throw error
}
