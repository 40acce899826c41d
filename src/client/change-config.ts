/**
 * Changes coppice.yml for a person, and explains its keys.
 *
 * A change is checked before it is written, and written in one step. If the file was in force before,
 * the person who changes it approves exactly the new text.
 */
import { realpathSync, statSync } from "node:fs"
import { join, resolve } from "node:path"
import { layDefaults } from "../core/config/defaults.ts"
import { setKey, splitKey } from "../core/config/edit.ts"
import { ConfigError } from "../core/config/errors.ts"
import { type ConfigKey, listConfigKeys } from "../core/config/keys.ts"
import { keyPattern } from "../core/config/names.ts"
import type { Env } from "../core/config/substitute.ts"
import { isSection, readYaml, valueAt } from "../core/config/yaml.ts"
import type { Config } from "../core/config.ts"
import { AppError } from "../core/errors.ts"
import { closest } from "../core/suggest.ts"
import { standingOf } from "../core/trust.ts"
import type { ConfigKeyDocument } from "../core/wire/home.ts"
import { parseConfigText } from "./config-file.ts"
import { configPaths, layHomeConfig, readHomeConfig, readLayers } from "./config-layers.ts"
import { readConfigText } from "./config-text.ts"
import { findForeignSetup } from "./foreign-setup.ts"
import { configPathOf, type Home } from "./home.ts"
import { replaceFile } from "./private-folder.ts"
import { stateDir } from "./state-dir.ts"
import { changeTrust, keepNamed, readTrust } from "./trust-record.ts"

/** coppice.yml has no such key. */
class ConfigKeyUnknownError extends AppError {
  readonly code = "config.unknown_key"
  readonly blame = "user"
  override readonly hints: readonly string[]

  constructor(key: string, keys: readonly ConfigKey[]) {
    super(`coppice.yml has no key \`${key}\`.`)
    const meant = closest(
      keyPattern(key.split(".")),
      keys.map(({ path }) => path),
    )
    const guess = meant ? [`Did you mean \`${meant}\`?`] : []
    this.hints = [...guess, "`coppice config schema` prints all keys with their meaning."]
  }
}

export type Changed = {
  readonly path: string
  /** The file waits for an approval, as it did before. */
  readonly needsTrust: boolean
}

/**
 * Writes `given` at `key`, and the file if there is none.
 *
 * @param given as in YAML: `20m`, `false`, `[.env]`. @throws ConfigError, ConfigKeyUnknownError
 */
export function setConfigKey(
  { home }: Pick<Home, "home">,
  change: { readonly key: string; readonly given: string },
  env: Env,
): Changed {
  const { path: steps } = findKey(change.key)
  const path = configPathOf(home)
  // Read once: the other files may change now, and only their texts of before may be approved below.
  const layers = readLayers(home, env)
  const { main: before } = layers
  const text = before ?? "version: 1\n"
  const check = (main: string) => {
    const { text: laid, path: laidPath } = layHomeConfig(home, { ...layers, main }, env)
    return { main, laid, config: parseConfigText({ home, path: laidPath }, laid, env) }
  }
  check(text)
  const { main, laid, config } = firstValid(
    valuesOf(change.given).map((value) => () => check(setKey(text, steps, value))),
  )
  const dir = stateDir(home, env)
  const standing = standingOf(layHomeConfig(home, layers, env).text, readTrust(dir).config)
  const file = before === null ? path : realpathSync(path) // a link stays a link
  replaceFile(file, main, before === null ? 0o644 : statSync(file).mode & 0o777)
  const isInForce = standing === "approved" || standing === "free"
  if (isInForce)
    changeTrust(dir, (now) => ({ ...now, config: laid, git: keepNamed(now.git, home, config) }))
  return { path, needsTrust: !isInForce }
}

/** As YAML reads it, else as text: `npm run a: b` is a command, not a section. */
function valuesOf(given: string): readonly unknown[] {
  const read = readYaml(given)
  if (read.kind === "invalid" || read.value === given) return [given]
  return [read.value, given]
}

/** The result of the first that does not throw; else the error of the first. */
function firstValid<Result>(tries: readonly (() => Result)[]): Result {
  const faults: ConfigError[] = []
  for (const one of tries)
    try {
      return one()
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      faults.push(error)
    }
  throw faults[0]
}

/** The value of a key as it is written, its origin and its meaning. @throws ConfigKeyUnknownError */
export function explainKey({ home }: Pick<Home, "home">, key: string, env: Env): ConfigKeyDocument {
  const { path: steps, known } = findKey(key)
  const { path: files, text, workflows } = readHomeConfig(home, env)
  const config = parseConfigText({ home, path: files }, text, env)
  const { about, values } = known
  const read = text === null ? undefined : readYaml(text)
  const file = read?.kind === "ok" ? read.value : undefined
  const written = valueAt(layDefaults(file), steps) ?? valueAt(file, steps)
  if (written !== undefined) {
    const isOwn = valueAt(file, steps) !== undefined
    const [origin, at] = isOwn
      ? (["file", steps] as const)
      : (["defaults", ["defaults", ...steps.slice(2)]] as const)
    const workflow = workflows.find(({ name }) => steps[0] === "sources" && steps[1] === name)
    const path =
      filesOf(home, at, env) ?? (workflow ? join(home, workflow.path) : configPathOf(home))
    return { key, value: withoutPassword(written), origin, path, about, values }
  }
  // `agents.a.sesion` may be an agent with a dot in its name, if there is one.
  if (known.path.endsWith(".*") && !isVariable(known.path, known.path))
    if (steps.at(-1)?.includes(".")) throw new ConfigKeyUnknownError(key, listConfigKeys())
  const foreign = foreignSetupOf(home, config, steps)
  if (foreign)
    return { key, value: foreign.command, origin: "file", path: foreign.source, about, values }
  const origin = known.default === undefined ? "none" : "default"
  return { key, value: known.default ?? null, origin, path: null, about, values }
}

/**
 * The file whose value counts: the strongest that has the key. A section is merged from all that have it. Null: it
 * comes from a WORKFLOW.md.
 */
function filesOf(home: string, steps: readonly string[], env: Env): string | null {
  const { local, main, user } = configPaths(home, env)
  const valueIn = (path: string | null) => {
    const read = path === null ? undefined : readYaml(readConfigText(path) ?? "")
    return read?.kind === "ok" ? valueAt(read.value, steps) : undefined
  }
  const found = [local, main, user].filter((path) => valueIn(path) !== undefined)
  const [strongest = null] = found
  return isSection(valueIn(strongest)) ? found.join(" and ") : strongest
}

/** `repos.<name>.setup` may come from a file of another tool. */
function foreignSetupOf(home: string, { repos }: Config, [section, name, key]: readonly string[]) {
  const repo = repos.find((one) => one.name === name)
  const isSetup = section === "repos" && key === "setup" && repo?.setup === undefined
  return isSetup ? findForeignSetup(resolve(home, repo?.path ?? ".")) : undefined
}

function findKey(key: string): { readonly path: readonly string[]; readonly known: ConfigKey } {
  const keys = listConfigKeys()
  const path = splitKey(
    key,
    keys.map(({ path }) => path),
  )
  const pattern = path && keyPattern(path)
  const known = keys.find((one) => one.path === pattern || isVariable(one.path, pattern))
  if (!path || !known) throw new ConfigKeyUnknownError(key, keys)
  return { path, known }
}

const isVariable = (path: string, pattern: string | undefined): boolean =>
  path.endsWith(".env.*") && pattern?.replace(/(\.env)\.[^.]+$/, "$1.*") === path

/** A URL to clone from may hold one. */
const withoutPassword = (value: unknown): unknown =>
  typeof value === "string" ? value.replace(/\/\/[^@/]*@/, "//") : value
