/** Finds where a remote leads, for the daemon and for a person's command, which start git differently. */

/** The addresses of a remote after the rewriting of `url.*.insteadOf`. */
export type Addresses = { readonly push: string; readonly fetch: string }

/** @returns the output of git with these arguments; undefined if it refuses. */
type AskGit = (args: readonly string[]) => Promise<string | undefined>

/** @returns undefined if there is no such remote, or if it has several addresses. */
export async function askAddresses(remote: string, ask: AskGit): Promise<Addresses | undefined> {
  const askOne = async (options: readonly string[]) => {
    const said = await ask(["remote", "get-url", ...options, "--all", "--", remote])
    const [address, other] = said?.trim().split("\n") ?? []
    return other === undefined ? address : undefined
  }
  const push = await askOne(["--push"])
  const fetch = await askOne([])
  return push && fetch ? { push, fetch } : undefined
}
