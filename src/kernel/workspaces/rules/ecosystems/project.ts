/** The facts about a project's tools in its root, from which commands are guessed. Pure. */

export type Project = {
  /** Names in the root, and paths of a few files that matter below it. */
  readonly files: ReadonlySet<string>
  /** Contents of those files of {@link FILES_READ} that exist. */
  readonly texts: Readonly<Record<string, string>>
}

/** Files whose contents decide, not their presence alone. */
export const FILES_READ = [
  ...["package.json", "pyproject.toml", "setup.cfg", "tox.ini", "composer.json", "Makefile"],
]

/** The one folder below the root whose names decide. */
export const FOLDER_READ = "tests"

/** The parsed text of a JSON manifest; empty if it is absent or its tool could not read it. */
export function readManifest({ texts }: Project, name: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(texts[name] ?? "{}")
    return isRecord(parsed) ? parsed : {}
  } catch {
    return {}
  }
}

/** The entries of an object in a manifest; none if it is something else. */
export function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isRecord(value) ? Object.entries(value) : []
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null
