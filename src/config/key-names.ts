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

/** References to variables in the text of a configuration: `${VAR}` and `${VAR:-x}`. */
const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g

/** No reference begins behind the last `}`. A search there would read on to the end from each `${A:-`. */
function splitReferences(text: string): readonly [before: string, after: string] {
  const end = text.lastIndexOf("}") + 1
  return [text.slice(0, end), text.slice(end)]
}

/** Names of the variables that a text refers to. */
export const listReferences = (text: string): string[] =>
  [...splitReferences(text)[0].matchAll(REFERENCE)].map(([, name = ""]) => name)

/** @param replace gets a reference as it is written, its name, and its default if it has one. */
export function replaceReferences(
  text: string,
  replace: (reference: string, name: string, otherwise?: string) => string,
): string {
  const [before, after] = splitReferences(text)
  return before.replace(REFERENCE, replace) + after
}

/** A folder may have any name; a repository's name must fit into paths and messages. */
export function repoNameFrom(folder: string): string {
  const letters = folder.normalize("NFKD").replace(/\p{M}+/gu, "")
  return letters.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[^A-Za-z0-9]+|-+$/g, "") || "repo"
}
