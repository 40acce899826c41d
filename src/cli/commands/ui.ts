/** `ui`: opens the dashboard in a browser, with a link that logs it in. */
import type { Command } from "../command.ts"
import { noOperands } from "../operands.ts"
import { PRINT, showPage } from "../show-page.ts"

export const command: Command = {
  operands: "",
  options: PRINT,
  details:
    "The link works once, within five minutes. Then the plain address is enough in that browser, for\n" +
    "30 days. Without a terminal or a screen, only prints the link.",

  async run(shell, positionals, values) {
    noOperands(positionals, "ui")
    await showPage(shell, await shell.connect(), values)
    return 0
  },
}
