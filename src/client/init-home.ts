/** Writes a first coppice.yml: short, commented, with the defaults. */
import { writeFileSync } from "node:fs"
import { basename } from "node:path"
import { repoNameFrom } from "../core/config/names.ts"
import { AppError } from "../core/errors.ts"
import { HomeNotFoundError } from "./errors.ts"
import { configPathOf, type Home } from "./home.ts"

const text = (
  name: string,
) => `# Coppice: agents that work on this repository, and how their work lands.
# Every value that is left out has a default; \`coppice config check\` reads this file.
version: 1

repos:
  ${keyOf(name)}:
    path: .
    # target: main          # the branch that work lands on
    # gate: npm test        # must pass before anything lands; else found from the files here
    # copy: [.env]          # ignored files that a fresh worktree needs

agents:
  claude:
    runtime: claude         # or command: any program, see \`command\`
    landing: { mode: merge } # or approve: once you have seen it; none: the branch is left for you
`

/** Quotes text that YAML would read as something else, such as a number. */
const keyOf = (name: string): string =>
  /^[A-Za-z]/.test(name) && !/^(true|false|null)$/i.test(name) ? name : `"${name}"`

/** A coppice.yml is in force already, and is not overwritten. */
class ConfigExistsError extends AppError {
  override readonly name = "ConfigExistsError"
  readonly code = "init.exists"
  readonly blame = "user"
  override readonly hints = ["`coppice config check` says whether it is valid."]
}

/**
 * Writes coppice.yml into the repository's folder and returns its path.
 *
 * @throws ConfigExistsError if one is already in force: it never overwrites a file.
 */
export function initHome({ home, repo, configPath }: Home): string {
  if (configPath !== null) throw new ConfigExistsError(`There is one already: ${configPath}.`)
  if (repo === null) throw new HomeNotFoundError(`${home} is in no git repository.`)
  const path = configPathOf(home)
  writeFileSync(path, text(repoNameFrom(basename(home))), { flag: "wx" })
  return path
}
