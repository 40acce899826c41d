/** Writes a first coppice.yml: short, commented, with what was detected. */
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { askProgram } from "../../api/client/ask-program.ts"
import { HomeNotFoundError } from "../../api/client/errors.ts"
import { configPathOf, type Home } from "../../api/client/home.ts"
import { AppError } from "../../base/errors.ts"
import { shellWord } from "../../base/text/shell-word.ts"
import { repoNameFrom } from "../../config/key-names.ts"
import { configJsonSchema } from "../../config/keys.ts"
import { readForeign } from "../foreign-setup/foreign-setup.ts"
import { draftOfWorkflow } from "../sources/rules/symphony.ts"
import { type Detected, detect } from "./detect.ts"

/** The facts about its repository for a first coppice.yml. */
type Found = { readonly [Key in "target" | "setup" | "gate"]?: Detected[Key] } & {
  /** The file of another tool that names the set-up. */
  readonly setupFrom?: string | undefined
  /** Ignored files in the root that a fresh worktree lacks. */
  readonly copy?: readonly string[]
  /** A source in YAML that the repository's WORKFLOW.md describes. */
  readonly source?: readonly string[] | undefined
}

/** Files that a program needs and git ignores, by their usual name. */
const SECRETS = /^\.env(\.[\w.-]+)?$/
const EXAMPLE = /example|sample|template|dist/
const SCHEMA_FILE = ".git/coppice.schema.json"
const COMMENTS_FROM = 32
const WORKFLOW = "WORKFLOW.md"

function text(name: string, found: Found, hasSchema: boolean): string {
  const { target, setup, gate, copy = [], source } = found
  const list = copy.length > 0 ? `[${copy.map(yamlOf).join(", ")}]` : undefined
  const lines = [
    line("target", target && yamlOf(target), "main", "the branch that work lands on"),
    line("setup", setup && yamlOf(setup), "npm ci", "makes a fresh worktree able to run"),
    line("gate", gate && yamlOf(gate), "npm test", "must pass before anything lands"),
    line("copy", list, "[.env]", "ignored files that a fresh worktree needs"),
  ]
  const schema = hasSchema ? `# yaml-language-server: $schema=${SCHEMA_FILE}\n` : ""
  return `${schema}# Coppice: agents that work on this repository, and how their work lands.
# Every value that is left out has a default; \`coppice config check\` reads this file.
version: 1

repos:
  ${keyOf(name)}:
    path: .
${lines.join("\n")}

agents:
  claude:
    runtime: claude         # or command: any program, see \`command\`
    landing: { mode: merge } # or approve: once you have seen it; none: the branch is left for you
${source ? ["\n# WORKFLOW.md as a source: complete it, and remove the marks.", ...source].join("\n# ") : ""}`
}

/** A setting as it was detected, else an example as a comment. */
function line(key: string, value: string | undefined, example: string, comment: string): string {
  const set = value === undefined ? `    # ${key}: ${example}` : `    ${key}: ${value}`
  return `${set.padEnd(COMMENTS_FROM)} # ${comment}${value === undefined ? "" : " (detected)"}`
}

/** Quotes text that YAML would read as something else than these words. */
const yamlOf = (value: string): string =>
  /^[A-Za-z./][\w./ -]*$/.test(value) && !/^(true|false|null|yes|no|on|off)$/i.test(value)
    ? value
    : JSON.stringify(value)

/** Quotes text that YAML would read as something else, such as a number. */
const keyOf = (name: string): string =>
  /^[A-Za-z]/.test(name) && !/^(true|false|null)$/i.test(name) ? name : `"${name}"`

/** A coppice.yml is in force already, and is not overwritten. */
class ConfigExistsError extends AppError {
  constructor(path: string, { home, repo }: Home) {
    const check = "`coppice config check` says whether it is valid."
    const isInside = repo?.startsWith(`${home}/`) === true && existsSync(join(repo, ".git"))
    const init = isInside && `\`coppice init --home ${shellWord(repo)}\` makes a home of its own.`
    super("init.exists", "user", `There is one already: ${path}.`, {
      hints: init ? [check, init] : [check],
    })
  }
}

/**
 * Writes coppice.yml into the repository's folder and returns its path. The JSON Schema for editors
 * goes into the repository's git directory, so it is not one of the project's files.
 *
 * @throws ConfigExistsError if one is already in force: it never overwrites a file.
 */
export function initHome(place: Home, found: Found = {}): string {
  const { home, repo, configPath } = place
  if (configPath !== null) throw new ConfigExistsError(configPath, place)
  if (repo === null) throw new HomeNotFoundError(`${home} is in no git repository.`)
  const path = configPathOf(home)
  const isPlain = statSync(join(dirname(path), ".git"), { throwIfNoEntry: false })?.isDirectory()
  const hasSchema = isPlain === true
  writeFileSync(path, text(repoNameFrom(basename(home)), found, hasSchema), { flag: "wx" })
  if (hasSchema)
    writeFileSync(join(dirname(path), SCHEMA_FILE), JSON.stringify(configJsonSchema(), null, 2))
  return path
}

/** Detects the facts that {@link initHome} writes. */
export async function findForInit(
  { home, repo }: Pick<Home, "home" | "repo">,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Found> {
  if (repo === null) return {}
  const { programs: _, ...found } = await detect(home, {}, env)
  const source = draftOfWorkflow(readForeign(home, WORKFLOW) ?? "", WORKFLOW)
  const names = readdirSync(home).filter((name) => SECRETS.test(name) && !EXAMPLE.test(name))
  if (names.length === 0) return { ...found, source }
  const answer = await askProgram(["git", "-C", home, "check-ignore", "--", ...names.sort()], env)
  return { ...found, source, copy: "said" in answer ? answer.said.split("\n") : [] }
}
