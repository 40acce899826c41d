/** The default name of a repository. Pure. */

/** A folder may be called anything; a repository's name takes part in paths and messages. */
export function repoNameFrom(folder: string): string {
  const letters = folder.normalize("NFKD").replace(/\p{M}+/gu, "")
  return letters.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[^A-Za-z0-9]+|-+$/g, "") || "repo"
}
