/** A look-alike of Discord's REST API on loopback: it keeps its state, and failures can be switched on. */
import { ApiServer } from "./api-server.ts"
import { DISCORD_ROUTES, DiscordState } from "./discord/channel.ts"

export class DiscordServer extends ApiServer<DiscordState> {
  static async start(nowMs: () => number = Date.now): Promise<DiscordServer> {
    return await new DiscordServer(new DiscordState(nowMs), DISCORD_ROUTES).listen()
  }
}
