/** Chooses the identity for commits: the user's own if configured, else ours. */
import { listConfig } from "./config.ts"

export type Identity = { readonly name: string; readonly email: string }

const FALLBACK: Identity = { name: "Coppice", email: "coppice@localhost" }

/** The committer that is configured in this repository, raw bytes; never a guess by git. */
export async function readCommitter(cwd: string): Promise<Identity> {
  return committerOf(await listConfig(cwd, "^(user|committer)\\.(name|email)$"))
}

/** @param config from {@link listConfig}. */
export function committerOf(config: readonly { key: string; value: string }[]): Identity {
  const find = (key: string) => config.findLast((entry) => entry.key === key)?.value || undefined
  return {
    name: find("committer.name") ?? find("user.name") ?? FALLBACK.name,
    email: find("committer.email") ?? find("user.email") ?? process.env["EMAIL"] ?? FALLBACK.email,
  }
}

/** `Name <email> seconds +0000`, as in a commit object. */
export function identLine({ name, email }: Identity, nowMs: number): string {
  const clean = (text: string) => text.replace(/[<>\n\0]/g, "").trim()
  return `${clean(name)} <${clean(email)}> ${Math.floor(nowMs / 1000)} +0000`
}
