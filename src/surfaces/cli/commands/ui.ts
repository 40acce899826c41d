/** `ui`: opens the dashboard in a browser, with a link that logs it in. */
import type { Client } from "../../../api/client/client.ts"
import type { Command, Shell } from "../command.ts"
import { noOperands } from "../operands.ts"
import { PRINT, showPage } from "../show-page.ts"

async function printReadOnly({ json, output }: Shell, client: Client): Promise<void> {
  const link = await client.loginLink({ readOnly: true })
  if (json) output.document(link)
  else output.line(link.elsewhere ?? link.url)
  if (!json && link.elsewhere === null)
    output.note("It opens on this machine alone: coppice.yml has no `dashboard.url`.")
}

export const command: Command = {
  operands: "",
  options: {
    ...PRINT,
    "read-only": {
      type: "boolean",
      about: "Print a link for another person, who sees this home and changes nothing",
    },
  },
  details:
    "The link works once, within five minutes. Then the plain address is enough in that browser, for\n" +
    "30 days. Without a terminal or a screen, only prints the link. A read-only link works once, within\n" +
    "a day.",

  async run(shell, positionals, values) {
    noOperands(positionals, "ui")
    const client = await shell.connect()
    if (values["read-only"] === true) await printReadOnly(shell, client)
    else await showPage(shell, client, values)
    return 0
  },
}
