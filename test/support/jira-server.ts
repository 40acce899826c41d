/** A double of Jira's REST API on loopback: it keeps its state, and failures can be switched on. */
import { ApiServer } from "./api-server.ts"
import { JIRA_ROUTES, JiraState } from "./jira/issues.ts"

const UNKNOWN_TOKEN = {
  status: 401,
  body: { message: "Client must be authenticated to access this resource.", "status-code": 401 },
}

export class JiraServer extends ApiServer<JiraState> {
  static async start(nowMs: () => number = Date.now): Promise<JiraServer> {
    return await new JiraServer(new JiraState(nowMs), JIRA_ROUTES, UNKNOWN_TOKEN).listen()
  }
}
