/**
 * What a coppice.yml asks a person to approve, and whether it is in force. Pure.
 *
 * The rule: Coppice uses a coppice.yml only as a person approved it, byte for byte. A first one that
 * makes Coppice run or make nothing, and reads no variable, needs no approval; every change does.
 */
import { parseDocument } from "yaml"
import { listReferences } from "./config/references.ts"

export type Asked = {
  /** The key, as `repos.app.gate`; or the setting of git. */
  readonly where: string
  readonly what: string
}

/**
 * `free`: in force though nobody approved it. `first`: nothing is approved, so nothing runs.
 * `changed`: the approved text stays in force.
 */
export type Standing = "approved" | "free" | "first" | "changed"

/** @param text of the file, and of what was approved; null: no file. `approved` undefined: nothing. */
export function standingOf(text: string | null, approved: string | null | undefined): Standing {
  if (approved !== undefined) return text === approved ? "approved" : "changed"
  return text === null || listAsked(text).length === 0 ? "free" : "first"
}

/** What the file would run, make by itself, or read of the environment. */
export function listAsked(text: string): Asked[] {
  const leaves = [...flatten(read(text))]
  const references = leaves.flatMap(([path, value]) =>
    listReferences(String(value)).map((name) => ({
      where: path.join("."),
      what: `reads the variable ${name}`,
    })),
  )
  return [...leaves.flatMap(([path, value]) => askedAt(path, value)), ...references]
}

/** How `after` differs from `before`, by key. */
export function listChanges(before: string | null, after: string | null): Asked[] {
  const [old, now] = [before, after].map(
    (text) =>
      new Map(
        flatten(text === null ? {} : read(text)).map(([path, value]) => [
          path.join("."),
          String(value),
        ]),
      ),
  ) as [Map<string, string>, Map<string, string>]
  const keys = [...new Set([...old.keys(), ...now.keys()])]
  return keys
    .filter((key) => old.get(key) !== now.get(key))
    .map((where) => ({
      where,
      what: `${old.get(where) ?? "(not set)"} → ${now.get(where) ?? "(not set)"}`,
    }))
}

type Leaf = readonly [path: readonly string[], value: unknown]

/** Commands, by the last step of `repos.<name>.…`. */
const COMMANDS = ["gate", "setup", "check", "teardown"]

function askedAt(path: readonly string[], value: unknown): Asked[] {
  const where = path.join(".")
  const [section, , key = "", ...below] = path
  const isSet = value !== false && value !== null && value !== undefined
  if (section === "repos") {
    if (key === "gate" && value === false) return [{ where, what: "nothing is tested" }]
    return COMMANDS.includes(key) && isSet ? [{ where, what: `runs ${String(value)}` }] : []
  }
  if (section !== "agents" || !isSet) return []
  if (key === "command") return [{ where, what: `runs ${String(value)}` }]
  if (key === "env") return [{ where, what: `sets ${below[0]}=${String(value)}` }]
  const rest = below.join(".")
  if (key === "working_directory" && rest === "auto_clone")
    return [{ where, what: `clones ${withoutPassword(String(value))}` }]
  if (key === "workspace" && rest === "pool" && !["0", "auto"].includes(String(value)))
    return [{ where, what: `makes ${String(value)} worktrees by itself` }]
  return []
}

const withoutPassword = (url: string) => url.replace(/\/\/[^@/]*@/, "//")

/** A file with mistakes asks for nothing: it is refused as a whole. */
function read(text: string): unknown {
  const document = parseDocument(text)
  if (document.errors.length > 0) return {}
  try {
    return document.toJS()
  } catch {
    return {}
  }
}

/** Every value with the keys that lead to it. A list of words, such as a command, is one value. */
function flatten(
  value: unknown,
  path: readonly string[] = [],
  around: readonly object[] = [],
): Leaf[] {
  if (typeof value !== "object" || value === null) return [[path, value]]
  if (around.includes(value)) return []
  if (Array.isArray(value) && value.every((item) => typeof item !== "object"))
    return [[path, value.join(" ")]]
  return Object.entries(value).flatMap(([key, inner]) =>
    flatten(inner, [...path, key], [...around, value]),
  )
}
