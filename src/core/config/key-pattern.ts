/** A key of coppice.yml without the names that people give: `repos.*.gate`, `agents.*.model`. */
export function keyPattern(path: readonly string[]): string {
  const named = path[0] === "repos" || path[0] === "agents"
  return path.map((step, at) => (named && at === 1 ? "*" : step)).join(".")
}
