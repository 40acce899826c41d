/** A double of Discord's REST API on loopback: it keeps its state, and failures can be switched on. */
import { ApiServer } from "./api-server.ts"
import { DISCORD_API, DISCORD_ROUTES, DiscordState } from "./discord/channel.ts"

const UNKNOWN_TOKEN = { status: 401, body: { message: "401: Unauthorized", code: 0 } }

export class DiscordServer extends ApiServer<DiscordState> {
  static async start(nowMs: () => number = Date.now): Promise<DiscordServer> {
    return await new DiscordServer(new DiscordState(nowMs), DISCORD_ROUTES, UNKNOWN_TOKEN).listen()
  }

  /** For `api_url`. */
  override get url(): string {
    return `${super.url}${DISCORD_API}`
  }
}
