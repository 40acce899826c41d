/**
 * Decides whether a coppice.yml is in force, and lists what a person must approve. Pure.
 *
 * The rule: Coppice uses a coppice.yml only as a person approved it, byte for byte. A first one with
 * only harmless settings needs no approval, unless it lies inside another home; every change needs one. A key that is new in the schema
 * needs an approval until it is listed here. So does a value in place of the user's own: a clone must
 * not loosen the bounds that its user set for all homes.
 */

import { withoutLogin } from "../../base/text/address.ts"
import { shownValue } from "../../base/text/asked.ts"
import { readYaml, valueAt } from "../../base/text/yaml.ts"
import { listReferences, meaningOf } from "../../config/key-names.ts"

export type Asked = {
  /** The key, as `repos.app.gate`; or the setting of git. */
  readonly where: string
  readonly what: string
}

/**
 * `free`: in force without an approval. `first`: nothing is approved, so nothing runs.
 * `changed`: the approved text stays in force.
 */
export type Standing = "approved" | "free" | "first" | "changed"

/** A configuration as one text, null without any file, and the user's own file. */
type LaidText = {
  readonly text: string | null
  readonly user: string | null
  /** The folder of a home around this one, where an agent may have landed this one's file. */
  readonly outer?: string | undefined
}

/** @param approved the text that was approved; null: that there is no file. Undefined: nothing was. */
export function trustStanding(laid: LaidText, approved: string | null | undefined): Standing {
  if (approved !== undefined) return laid.text === approved ? "approved" : "changed"
  return listAsked(laid).length === 0 ? "free" : "first"
}

/**
 * The settings of a first file that may do harm, and the variables that it reads. Inside another home, each
 * file may: it takes the place of that home's gate, fences and approvals.
 */
export function listAsked({ text, user, outer }: LaidText): Asked[] {
  const leaves = flatten(text === null ? {} : read(text))
  const own = user === null ? {} : read(user)
  const references = leaves.flatMap(([path, value]) =>
    [value].flat().flatMap((item) =>
      listReferences(String(item)).map((name) => ({
        where: shownKey(path),
        what: `reads the variable ${name}`,
      })),
    ),
  )
  const asked = leaves.flatMap((leaf) => {
    const [path, value] = leaf
    const replaced = replacedBy(leaf, own)
    if (isHarmless(leaf) && replaced === undefined) return []
    const instead =
      replaced === undefined ? "" : `, where your own file has ${shownLeaf([path, replaced])}`
    return [{ where: shownKey(path), what: `${phrase(path, value)}${instead}` }]
  })
  const inner = outer === undefined ? [] : [{ where: "home", what: innerHome(outer) }]
  return [...inner, ...asked, ...references]
}

const innerHome = (outer: string) =>
  `its own, inside the home ${outer}, whose gate and fences do not count here`

/** The other value that the user's own file has for this key, by name or by `defaults`. */
function replacedBy([path, value]: Leaf, own: unknown): unknown {
  const [section, , ...key] = path
  const named = valueAt(own, path)
  const mine = named ?? (section === "agents" ? valueAt(own, ["defaults", ...key]) : undefined)
  const isOrder = path.length === 1 && Array.isArray(value)
  return isOrder || JSON.stringify(mine) === JSON.stringify(value) ? undefined : mine
}

/** How `after` differs from `before`, by key. */
export function listChangedKeys(before: string | null, after: string | null): Asked[] {
  const [old, now] = [leavesByKey(before), leavesByKey(after)]
  const show = (leaf: Leaf | undefined) => (leaf ? shownLeaf(leaf) : "(not set)")
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((key) => JSON.stringify(old.get(key)) !== JSON.stringify(now.get(key)))
    .map((where) => {
      const [from, to] = [show(old.get(where)), show(now.get(where))]
      return { where, what: `${from} → ${to}${from === to ? " (with another login)" : ""}` }
    })
}

const leavesByKey = (text: string | null) =>
  new Map(flatten(text === null ? {} : read(text)).map((leaf) => [shownKey(leaf[0]), leaf]))

type Leaf = readonly [path: readonly string[], value: unknown]

/**
 * Names, waits, and settings that make Coppice ask more often or do less; `*` stands for a name. Each key
 * stands here in full, so that a new one in a section is not harmless because of its neighbours.
 */
const HARMLESS = [
  /^(version|repos|agents|limits)$/,
  /^repos\.\*(\.(target|gate_timeout|ports|approve))?$/,
  /^agents\.\*(\.(max_concurrent|reserve|fallback_after|plan|workspace|session|budget|landing|permissions))?$/,
  /^agents\.\*\.workspace\.(branch_pattern|fetch_before_setup|cleanup_on_failure)$/,
  /^agents\.\*\.workspace\.(keep|when_busy)$/,
  /^agents\.\*\.session\.(max_turns|timeout|ask_wait|handoff_at)$/,
  /^agents\.\*\.landing\.(max_handbacks|max_attempts|lock_timeout|hook_wait)$/,
  /^agents\.\*\.landing\.(gate_in|require_done)$/,
  /^agents\.\*\.permissions\.(default|allow|ask|deny)$/, // the default allows everything
  /^(agents\.\*\.budget|limits\.per_day)\.(turns|time|tokens|cost)$/,
  /^limits\.(concurrent|per_day|reserve)$/,
]
/** Values that are the default anyway, or ask more often. Any other value of these keys needs an approval. */
const HARMLESS_VALUES = [
  "repos.*.path .",
  "agents.*.runtime claude",
  "agents.*.workspace.strategy git_worktree",
  "agents.*.workspace.pool auto",
  "agents.*.workspace.pool 0",
  "agents.*.landing.mode merge",
  "agents.*.landing.mode approve",
  "agents.*.landing.mode none",
  "agents.*.landing.sign false",
  "agents.*.landing.signoff false",
]

const MESSAGE = "agents.*.workspace.commit_message"
/** A trailer, such as `Signed-off-by:`, speaks in the person's name. It needs a line of its own. */
const MAY_SIGN = /[\r\n]|-by\b/i

function isHarmless([path, value]: Leaf): boolean {
  const key = meaningOf(path)
  return (
    HARMLESS.some((known) => known.test(key)) ||
    HARMLESS_VALUES.includes(`${key} ${String(value)}`) ||
    (key === MESSAGE && !MAY_SIGN.test(String(value)))
  )
}

const COMMAND =
  /^(repos\.\*\.(gate|setup|check|teardown)|agents\.\*\.(command|resume|mcp_servers\.\*\.command|hooks\.[a-z_]+\.\d+\.command))$/
const ADDRESS =
  /^(agents\.\*\.(mcp_servers\.\*|hooks\.[a-z_]+\.\d+)\.url|notify\.\*\.url|(repos\.\*\.forge|sources\.\*)\.api_url)$/
const CLONED = "agents.*.working_directory.auto_clone"
/** Settings that use what belongs to the person. */
const IN_YOUR_NAME: Readonly<Record<string, string>> = {
  "agents.*.landing.sign": "signs what lands with your key",
  "agents.*.landing.signoff": "adds your Signed-off-by line to what lands",
}

/** The meaning of a setting, if the value alone does not show it. */
function phrase(path: readonly string[], value: unknown): string {
  const key = meaningOf(path)
  const shown = shownLeaf([path, value])
  if (key === "repos.*.gate" && value === false) return "nothing is tested"
  if (COMMAND.test(key) && value !== false) return `runs ${shown}`
  if (ADDRESS.test(key)) return `sends to ${shown}`
  if (String(value) === "true" && IN_YOUR_NAME[key]) return IN_YOUR_NAME[key]
  if (key === "dashboard.url") return `accepts requests to ${shown}`
  if (/^agents\.\*\.(mcp_servers\.\*\.)?env\./.test(key)) return `sets ${path.at(-1)}=${shown}`
  if (key === CLONED) return `clones ${shown}`
  if (key === "agents.*.workspace.pool") return `makes ${shown} worktrees in advance`
  return shown
}

/** A name may hold a dot. */
const shownKey = (path: readonly string[]) =>
  path.map((step) => (step.includes(".") ? JSON.stringify(step) : step)).join(".")

/** A login is taken out of an address alone, and visibly: a person approves all of a command. */
function shownLeaf([path, value]: Leaf): string {
  const key = meaningOf(path)
  const isAddress = ADDRESS.test(key) || key === CLONED
  return shownValue(isAddress && typeof value === "string" ? withoutLogin(value) : value)
}

/** A file with mistakes has no settings to approve: it is refused as a whole. */
function read(text: string): unknown {
  const found = readYaml(text)
  return found.kind === "ok" ? found.value : {}
}

/** Keys with named parts; the first part is the default. */
const ORDERED = ["repos", "agents"]

/** Every value with the keys that lead to it. A list of words, such as a command, is one value. */
function flatten(value: unknown, path: readonly string[] = []): Leaf[] {
  if (typeof value !== "object" || value === null) return [[path, value]]
  const isWords = Array.isArray(value) && value.every((item) => typeof item !== "object")
  const entries = Object.entries(value)
  if (isWords || (entries.length === 0 && path.length > 0)) return [[path, value]]
  const inside = entries.flatMap(([key, inner]) => flatten(inner, [...path, key]))
  const isOrdered = path.length === 1 && ORDERED.includes(path[0] ?? "")
  return isOrdered ? [[path, Object.keys(value)], ...inside] : inside
}
