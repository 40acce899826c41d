/**
 * Tells which paths of the configuration lead to one repository, whatever their spelling.
 *
 * Entries of `repos` for one repository may differ in target alone. Otherwise one of them would be a way
 * around the gate or the approval that another one asks for.
 */
import type { RepoConfig } from "./config.ts"
import type { Problem } from "./problems.ts"

/** Where a path leads. Equal values mean the same folder, and the same repository. */
export type Place = { readonly folder: string; readonly repository: string }

/** @param isCloned an empty folder is a repository to come, not a part of the one around it. */
export type Locate = (path: string, isCloned: boolean) => Place

/** Without a disk to look at: `./app/` and `app` are the same. */
export function asWritten(path: string): Place {
  const steps: string[] = []
  for (const step of path.split("/")) {
    if (step === "" || step === ".") continue
    if (step === ".." && steps.length > 0 && steps.at(-1) !== "..") steps.pop()
    else steps.push(step)
  }
  const plain = `${path.startsWith("/") ? "/" : ""}${steps.join("/")}`
  return { folder: plain, repository: plain }
}

type Placed = Pick<RepoConfig, "path" | "clone">

export const locateRepo = ({ path, clone }: Placed, locate: Locate): Place =>
  locate(path, clone !== undefined)

/** One problem for each entry that has other settings than one before it of the same repository. */
export function listContradictions(repos: readonly RepoConfig[], locate: Locate): Problem[] {
  return repos.flatMap((repo, index) => {
    const first = repos
      .slice(0, index)
      .find((one) => locateRepo(one, locate).repository === locateRepo(repo, locate).repository)
    const keys = first ? listDifferences(first, repo) : []
    if (!first || keys.length === 0) return []
    const names = keys.map((key) => `\`${key}\``).join(", ")
    const message = `is the repository of \`repos.${first.name}\`, with another ${names}: only \`target\` may differ`
    return [{ path: `repos.${repo.name}`, message }]
  })
}

/** The words of coppice.yml, where they differ from the program's. */
const KEYS: Readonly<Record<string, string>> = {
  gateTimeoutMs: "gate_timeout",
  gateFiles: "gate_files",
  pushTarget: "push_target",
}

/** The keys that differ, but for the names of repository and branch. */
function listDifferences(one: RepoConfig, other: RepoConfig): readonly string[] {
  const settings = ({ name, path, target, clone, ...rest }: RepoConfig) => Object.entries(rest)
  const others = new Map<string, unknown>(settings(other))
  return settings(one).flatMap(([key, value]) =>
    JSON.stringify(value) === JSON.stringify(others.get(key)) ? [] : [KEYS[key] ?? key],
  )
}
