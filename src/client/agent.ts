/** Asks the daemon for what an agent may ask for: with the address and token of its job. */
import type { RebasedDocument } from "../core/documents.ts"
import { AppError } from "../core/errors.ts"
import { DaemonGoneError } from "./errors.ts"
import { exchange } from "./http.ts"

type Env = Readonly<Record<string, string | undefined>>

/** Somebody who is no agent of ours asked for what only those may. */
class NoAgentError extends AppError {
  override readonly name = "NoAgentError"
  readonly code = "agent.none"
  readonly blame = "user"
  override readonly hints = ["`coppice run` starts an agent, which finds them in its environment."]
}

/** @throws NoAgentError @throws {RemoteError} what the daemon refuses. */
export async function askToRebase(
  env: Env,
  wanted: { readonly repo?: string },
): Promise<RebasedDocument> {
  const { COPPICE_URL: address, COPPICE_TOKEN: token } = env
  if (!address || !token)
    throw new NoAgentError("This is for agents: COPPICE_URL and COPPICE_TOKEN are not set.")
  const request = { method: "POST", path: "/agent/rebase_to_main", body: wanted } as const
  const answer = await exchange({ address, token }, request)
  if (answer.kind === "answered") return answer.body as RebasedDocument
  throw new DaemonGoneError("The daemon that started this agent does not know it any more.")
}
