/**
 * Changes coppice.yml for a person, and explains its keys.
 *
 * A change is checked before it is written, and written in one step. If the file was in force before,
 * the person who changes it approves exactly the new text.
 */
import { realpathSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { AppError } from "../../../base/errors.ts"
import { withoutLogins } from "../../../base/text/address.ts"
import { closest } from "../../../base/text/suggest.ts"
import { isSection, readYaml, valueAt } from "../../../base/text/yaml.ts"
import type { Config } from "../../../config/config.ts"
import { layDefaults } from "../../../config/defaults.ts"
import { setKey, splitKey } from "../../../config/edit-key.ts"
import { ConfigError } from "../../../config/errors.ts"
import { keyPattern } from "../../../config/key-names.ts"
import { type ConfigKey, listConfigKeys } from "../../../config/keys.ts"
import type { Env } from "../../../config/substitute.ts"
import { findForeignSetup } from "../../../features/foreign-setup/foreign-setup.ts"
import { trustStanding } from "../../../features/trust/rules.ts"
import { changeTrust, keepNamed, readTrust } from "../../../features/trust/trust-record.ts"
import type { ConfigKeyDocument } from "../../wire/home.ts"
import { configPathOf, type Home } from "../home.ts"
import { replaceFile } from "../make-private-folder.ts"
import { stateDir } from "../state-dir.ts"
import { parseConfigText } from "./config-file.ts"
import { layHomeConfig, readHomeConfig, readLayers } from "./config-layers.ts"
import { originsOf, strongerThanMain } from "./config-origins.ts"

/** Keys with the same last word, in a hint. */
const ALIKE_MAX = 3

/** coppice.yml has no such key. */
class ConfigKeyUnknownError extends AppError {
  constructor(key: string, keys: readonly ConfigKey[]) {
    const meant = closest(
      keyPattern(key.split(".")),
      keys.map(({ path }) => path),
    )
    const last = `.${key.split(".").at(-1)}`
    const alike = keys.flatMap(({ path }) => (path.endsWith(last) ? `\`${path}\`` : []))
    const named = meant ? [`\`${meant}\``] : alike.slice(0, ALIKE_MAX)
    const guess = named.length > 0 ? [`Did you mean ${named.join(" or ")}?`] : []
    super("config.unknown_key", "user", `coppice.yml has no key \`${key}\`.`, {
      hints: [...guess, "`coppice config schema` prints all keys with their meaning."],
    })
  }
}

export type Changed = {
  readonly path: string
  /** The file waits for an approval, as it did before. */
  readonly needsTrust: boolean
  /** A stronger file, with its keys that count instead of the written one. */
  readonly overridden: { readonly path: string; readonly keys: readonly string[] } | null
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
  const { path: steps, known } = findKey(change.key)
  const path = configPathOf(home)
  // Read once: the other files may change now, and only their texts of before may be approved below.
  const layers = readLayers(home, env)
  const { main: before } = layers
  const text = before ?? "version: 1\n"
  const read = readYaml(text)
  if (read.kind === "ok" && valueAt(read.value, steps) === undefined)
    refuseDottedName(change.key, { steps, known })
  const check = (main: string) => {
    const { text: laid, path: laidPath } = layHomeConfig(home, { ...layers, main }, env)
    return { main, laid, config: parseConfigText({ home, path: laidPath }, laid, env) }
  }
  check(text)
  const { main, laid, config } = firstValid(
    valuesOf(change.given).map((value) => () => check(setKey(text, steps, value))),
  )
  const dir = stateDir(home, env)
  const standing = trustStanding(layHomeConfig(home, layers, env), readTrust(dir).config)
  const file = before === null ? path : realpathSync(path) // a link stays a link
  replaceFile(file, main, before === null ? 0o644 : statSync(file).mode & 0o777)
  const isInForce = standing === "approved" || standing === "free"
  if (isInForce)
    changeTrust(dir, (now) => ({ ...now, config: laid, git: keepNamed(now.git, home, config) }))
  const overridden = strongerThanMain(home, env, steps) ?? null
  return { path, needsTrust: !isInForce, overridden }
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
    const origin = valueAt(file, steps) === undefined ? "defaults" : "file"
    const found = originsOf({ home, env, workflows }, steps, written)
    const keys = isSection(written) ? found : []
    const path = [...new Set(found.map((one) => one.path))].join(" and ")
    return { key, value: withoutLoginsIn(written), origin, path, keys, about, values }
  }
  const said = { key, keys: [], about, values }
  refuseDottedName(key, { steps, known })
  const foreign = foreignSetupOf(home, config, steps)
  if (foreign) return { ...said, value: foreign.command, origin: "file", path: foreign.source }
  const origin = known.default === undefined ? "none" : "default"
  return { ...said, value: known.default ?? null, origin, path: null }
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

/** `agents.a.sesion` is an agent with a dot in its name only if the file has one. */
function refuseDottedName(
  key: string,
  { steps, known }: { readonly steps: readonly string[]; readonly known: ConfigKey },
): void {
  if (known.path.endsWith(".*") && !isVariable(known.path, known.path))
    if (steps.at(-1)?.includes(".")) throw new ConfigKeyUnknownError(key, listConfigKeys())
}

const isVariable = (path: string, pattern: string | undefined): boolean =>
  path.endsWith(".env.*") && pattern?.replace(/(\.env)\.[^.]+$/, "$1.*") === path

/** A URL to clone from may hold one. */
function withoutLoginsIn(value: unknown): unknown {
  if (typeof value === "string") return withoutLogins(value)
  if (Array.isArray(value)) return value.map(withoutLoginsIn)
  if (!isSection(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutLoginsIn(one)]))
}
