/** `ui`: opens the dashboard in a browser, with a link that logs it in. */
import { stateDir } from "../../client/state-dir.ts"
import type { Command } from "../command.ts"
import { noOperands } from "../operands.ts"

export const command: Command = {
  operands: "",
  options: {
    print: { type: "boolean", short: "p", about: "Print the link, and open nothing" },
  },
  details:
    "The link works once, within five minutes. Then the plain address is enough in that browser, for\n" +
    "30 days. Without a terminal or a screen, only prints the link.",

  async run({ connect, output, json, env }, positionals, values) {
    noOperands(positionals, "ui")
    const client = await connect()
    const link = await client.loginLink()
    if (json) output.document(link)
    else output.line(link.url)
    if (json || values["print"] === true || output.columns === undefined) return 0
    const { openPage } = await import("../../client/open-page.ts")
    const isOpen = await openPage(link.url, stateDir(client.home, env), env)
    output.note(
      isOpen ? "It opens in your browser." : "Open this link in a browser; it works once.",
    )
    return 0
  },
}
