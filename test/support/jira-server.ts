/** A look-alike of Jira's REST API on loopback: it keeps its state, and failures can be switched on. */
import { ApiServer } from "./api-server.ts"
import { JIRA_ROUTES, JiraState } from "./jira/issues.ts"

export class JiraServer extends ApiServer<JiraState> {
  static async start(nowMs: () => number = Date.now): Promise<JiraServer> {
    return await new JiraServer(new JiraState(nowMs), JIRA_ROUTES).listen()
  }
}
