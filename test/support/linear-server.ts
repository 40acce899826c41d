/**
 * A double of Linear's GraphQL API on loopback: it keeps its state, and failures can be switched on.
 *
 * It executes any query that fits Linear's own schema. The operations that it can do are in
 * `linear/operations.ts`; to add one, write it there, and its fields in `linear/things.ts`.
 */
import { ApiServer } from "./api-server.ts"
import { answerQuery } from "./linear/answer.ts"
import { LinearState } from "./linear/issues.ts"

const UNKNOWN_TOKEN = {
  message: "Authentication required, not authenticated",
  extensions: { type: "authentication error", code: "AUTHENTICATION_ERROR", userError: true },
}

export class LinearServer extends ApiServer<LinearState> {
  static async start(nowMs: () => number = Date.now): Promise<LinearServer> {
    const route = { method: "POST", path: "/graphql", answer: answerQuery } as const
    const unknownToken = { status: 401, body: { errors: [UNKNOWN_TOKEN] } }
    return await new LinearServer(new LinearState(nowMs), [route], unknownToken).listen()
  }
}
