/** Names in coppice.yml: patterns of keys, references to variables, the default name of a repository. */

/** Sections whose parts people name. */
const NAMED = ["repos", "agents", "sources", "notify"]

/** Sections of an agent whose parts people name. */
const NAMED_PARTS = ["schedules", "mcp_servers"]

/** A key of coppice.yml without the names that people give: `repos.*.gate`, `defaults.schedules.*.cron`. */
export function keyPattern(path: readonly string[]): string {
  const [section = ""] = path
  const depth = NAMED.includes(section) ? 2 : section === "defaults" ? 1 : Infinity
  const isName = (at: number) =>
    (at === 1 && depth === 2) || (at === depth + 1 && NAMED_PARTS.includes(path[depth] ?? ""))
  return path.map((step, at) => (isName(at) ? "*" : step)).join(".")
}

/** As {@link keyPattern}; a key of `defaults` is that key of every agent. */
export const meaningOf = (path: readonly string[]): string =>
  keyPattern(path[0] === "defaults" ? ["agents", "*", ...path.slice(1)] : path)

/** How a reference to a variable begins, up to where it ends or its default begins. */
const OPENING = /\$\{([A-Za-z_][A-Za-z0-9_]*)(\}|:-)/g

type Reference = {
  /** As it is written. */
  readonly text: string
  readonly name: string
  /** The default, which a `}` ends. */
  readonly otherwise: string | undefined
}

/**
 * Replaces the references to variables in the text of a configuration: `${VAR}` and `${VAR:-x}`.
 * In one pass, since an agent may have written the text: without a further `}`, no reference follows.
 */
export function replaceReferences(text: string, replace: (found: Reference) => string): string {
  const pieces: string[] = []
  let from = 0
  for (const { 0: opening, 1: name = "", 2: next, index } of text.matchAll(OPENING)) {
    if (index < from) continue // in the default of the one before
    const start = index + opening.length
    const end = next === "}" ? start - 1 : text.indexOf("}", start)
    if (end < 0) break
    const otherwise = next === "}" ? undefined : text.slice(start, end)
    pieces.push(text.slice(from, index))
    pieces.push(replace({ text: text.slice(index, end + 1), name, otherwise }))
    from = end + 1
  }
  return [...pieces, text.slice(from)].join("")
}

/** Names of the variables that a text refers to. */
export function listReferences(text: string): string[] {
  const names: string[] = []
  replaceReferences(text, (found) => {
    names.push(found.name)
    return found.text
  })
  return names
}

/** A folder may have any name; a repository's name must fit into paths and messages. */
export function repoNameFrom(folder: string): string {
  const letters = folder.normalize("NFKD").replace(/\p{M}+/gu, "")
  return letters.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[^A-Za-z0-9]+|-+$/g, "") || "repo"
}
