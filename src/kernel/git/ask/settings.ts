/** The repository's settings that commits depend on: identities, and merge drivers. */
import { readConfigAt } from "../start/exec.ts"
import { listConfig } from "./config.ts"

export type CommitSettings = {
  readonly committer: Identity
  /** Names of the merge drivers that may run: not those that we overrule, see programs.ts. */
  readonly drivers: readonly string[]
}

const KEYS = "^((user|committer)\\.(name|email)|merge\\..*\\.driver)$"

/** The command of a merge driver that the repository alone names, as we overrule it. */
const OVERRULED = "false"

export async function readCommitSettings(cwd: string): Promise<CommitSettings> {
  const config = await listConfig(cwd, KEYS)
  const commands = new Map<string, string>()
  for (const { key, value } of config) {
    const name = /^merge\.(.*)\.driver$/s.exec(key)?.[1]
    if (name !== undefined) commands.set(Buffer.from(name, "latin1").toString("utf8"), value)
  }
  const drivers = [...commands.keys()].filter((name) => commands.get(name) !== OVERRULED)
  return { committer: committerOf(config), drivers }
}

export type Identity = { readonly name: string; readonly email: string }

const FALLBACK: Identity = { name: "Coppice", email: "coppice@localhost" }

/** The committer that is configured in this repository, raw bytes; never a guess by git. */
export async function readCommitter(cwd: string): Promise<Identity> {
  return committerOf(await listConfig(cwd, "^(user|committer)\\.(name|email)$"))
}

/** @param config from {@link listConfig}. */
function committerOf(config: readonly { key: string; value: string }[]): Identity {
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

/** The user, by git's configuration outside of the repository, which no agent writes. */
export type Person = {
  readonly identity: Identity | undefined
  /** The last value of a key of the person's own. */
  get(key: string): string | undefined
}

export async function readPerson(cwd: string): Promise<Person> {
  const all = await readConfigAt(cwd)
  const own = all.filter(({ scope }) => scope === "system" || scope === "global")
  const get = (key: string) => own.findLast((entry) => entry.key === key)?.value || undefined
  const name = get("committer.name") ?? get("user.name")
  const email = get("committer.email") ?? get("user.email")
  return { identity: name && email ? { name, email } : undefined, get }
}
