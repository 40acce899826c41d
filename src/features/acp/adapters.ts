/**
 * Makes the adapters of Claude Code and of Codex work unattended. Programs that speak the protocol
 * themselves go by their own settings.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { type Fields, fieldsOf, listOf, textOf } from "../runtimes/json-fields.ts"
import { RpcError } from "../runtimes/json-rpc.ts"

type Adapter = {
  /** Goes with every request that opens a session. */
  readonly meta?: Fields
  /** The adapter's mode in which nothing but us decides on the use of a tool. */
  readonly mode: string
  /** The adapter always runs what this folder of a repository names. `instead`: the way out. */
  readonly obeys?: { readonly folder: string; readonly instead: string }
}

const ADAPTERS: Readonly<Record<string, Adapter>> = {
  // Without these it loads the hooks of the repository, and a model decides on the uses of tools.
  "@agentclientprotocol/claude-agent-acp": {
    meta: { claudeCode: { options: { settingSources: ["user"] } } },
    mode: "default",
  },
  // Codex's sandbox would hide the git directory, so the agent could not commit.
  "@agentclientprotocol/codex-acp": {
    mode: "agent-full-access",
    obeys: { folder: ".codex", instead: "`runtime: codex` ignores it" },
  },
}

/** @param agent the answer to `initialize`. */
const adapterOf = (agent: Fields): Adapter | undefined =>
  ADAPTERS[textOf(fieldsOf(agent["agentInfo"])["name"])]

/**
 * The settings that open a session of this program in this folder, apart from its servers.
 *
 * @throws {RpcError} where the repository would configure it.
 */
export function placeSettings(agent: Fields, cwd: string): object {
  const { meta, obeys } = adapterOf(agent) ?? {}
  if (obeys && existsSync(join(cwd, obeys.folder)))
    throw new RpcError(
      `it would run what ${obeys.folder} of the repository names: ${obeys.instead}`,
    )
  return { cwd, ...(meta && { _meta: meta }) }
}

/** @returns the mode to choose in a session that was opened; undefined: leave it. */
export function adapterMode(agent: Fields, session: Fields): string | undefined {
  const mode = adapterOf(agent)?.mode
  const modes = listOf(fieldsOf(session["modes"])["availableModes"])
  return modes.some(({ id }) => id === mode) ? mode : undefined
}
