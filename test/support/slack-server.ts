/** A double of Slack's Web API on loopback: it keeps its state, and failures can be switched on. */
import { ApiServer } from "./api-server.ts"
import { SLACK_ROUTES, SlackState } from "./slack/channel.ts"

/** Slack's errors have status 200. */
const UNKNOWN_TOKEN = { status: 200, body: { ok: false, error: "invalid_auth" } }

export class SlackServer extends ApiServer<SlackState> {
  static async start(nowMs: () => number = Date.now): Promise<SlackServer> {
    return await new SlackServer(new SlackState(nowMs), SLACK_ROUTES, UNKNOWN_TOKEN).listen()
  }
}
