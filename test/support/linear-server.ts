/** A look-alike of Linear's GraphQL API on loopback: it keeps its state, and failures can be switched on. */
import { ApiServer } from "./api-server.ts"
import { answerQuery, LinearState } from "./linear/issues.ts"

export class LinearServer extends ApiServer<LinearState> {
  static async start(nowMs: () => number = Date.now): Promise<LinearServer> {
    const route = { method: "POST", path: "/graphql", answer: answerQuery } as const
    return await new LinearServer(new LinearState(nowMs), [route]).listen()
  }
}
