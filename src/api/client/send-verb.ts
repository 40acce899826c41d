/** Sends the verbs of an agent to the daemon, with the address and token of its job. */

import { AppError } from "../../base/errors.ts"
import type { Env } from "../../config/substitute.ts"
import type { VerbAnswer, VerbInput, VerbName } from "../wire/verbs.ts"
import { DaemonGoneError } from "./errors.ts"
import { exchange } from "./http.ts"

/** A verb may wait for a person or a gate; the daemon's own bounds are shorter. */
const VERB_MS_MAX = 24 * 60 * 60_000

/** Only an agent of Coppice may do this. */
class NoAgentError extends AppError {
  constructor(message: string) {
    const hints = ["`coppice run` starts an agent, which finds them in its environment."]
    super("agent.none", "user", message, { hints })
  }
}

/**
 * Sends `verb` to the daemon, with its input.
 *
 * @returns the verb's document, api/wire/agent.ts.
 * @throws NoAgentError @throws {RemoteError} if the daemon refuses.
 */
export async function sayVerb<Name extends VerbName>(
  env: Env,
  verb: Name,
  input: VerbInput<Name>,
): Promise<VerbAnswer<Name>> {
  const { COPPICE_URL: address, COPPICE_TOKEN: token } = env
  if (!address || !token)
    throw new NoAgentError("This is for agents: COPPICE_URL and COPPICE_TOKEN are not set.")
  const path = `/agent/${verb}`
  const request = { method: "POST", path, body: input, waitMsMax: VERB_MS_MAX } as const
  const answer = await exchange({ address, token }, request)
  if (answer.kind === "answered") return answer.body as VerbAnswer<Name>
  throw new DaemonGoneError("The daemon that started this agent no longer knows it.", [])
}
