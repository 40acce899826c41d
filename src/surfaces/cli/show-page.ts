/** Prints a link that logs a browser in to the dashboard of a home, and opens it. */
import type { Client } from "../../api/client/client.ts"
import { stateDir } from "../../api/client/state-dir.ts"
import type { Shell, Values } from "./command.ts"

export const PRINT = {
  print: { type: "boolean", short: "p", about: "Print the link, and open nothing" },
} as const

export async function showPage(
  { output, json, env }: Pick<Shell, "output" | "json" | "env">,
  client: Client,
  values: Values,
): Promise<void> {
  const link = await client.loginLink()
  if (json) output.document(link)
  else output.line(link.url)
  if (!json && link.elsewhere !== null)
    output.note(`On another device, open this instead: ${link.elsewhere}`)
  if (json || values["print"] === true || output.columns === undefined) return
  const { openPage } = await import("../../api/client/open-page.ts")
  const isOpen = await openPage(link.url, stateDir(client.home, env), env)
  output.note(isOpen ? "It opens in your browser." : "Open this link in a browser; it works once.")
}
