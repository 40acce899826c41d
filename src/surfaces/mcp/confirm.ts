/**
 * Asks a person in a dialog of their own program. No model can answer it: the program shows it.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation
 */
import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import type { ElicitRequestFormParams } from "@modelcontextprotocol/sdk/types.js"
import { mark } from "../../base/text/mark.ts"
import { reveal } from "../../base/text/shown.ts"
import { ConfirmationError } from "./errors.ts"
import type { Dialog } from "./tool.ts"

/** Long enough to look at the work first. A dialog that is left open ends its call then. */
const DIALOG_MS_MAX = 10 * 60_000
/** A person cannot see a longer text in full in a dialog, so they do not decide it there. */
const DIALOG_CHARS_MAX = 4_000
/** Empty lines would move the rest out of sight. */
const DIALOG_LINES_MAX = 100

/** A choice without a default: a key that was meant for something else accepts nothing. */
const FORM: ElicitRequestFormParams["requestedSchema"] = {
  type: "object",
  properties: { decision: { type: "string", title: "Do it", enum: ["no", "yes"] } },
  required: ["decision"],
}

/** @throws ConfirmationError unless the person accepts. */
export async function confirmIn(
  server: Server,
  { lines, command }: Dialog,
  signal: AbortSignal,
): Promise<void> {
  const message = lines.map((row) => mark(reveal(row), /\n/g)).join("\n")
  if (!server.getClientCapabilities()?.elicitation)
    throw new ConfirmationError("This program cannot show a dialog to the person.", command)
  if (message.length > DIALOG_CHARS_MAX || lines.length > DIALOG_LINES_MAX)
    throw new ConfirmationError("This is too long to be shown in a dialog.", command)
  const asked = server.elicitInput(
    { message, requestedSchema: FORM },
    { signal, timeout: DIALOG_MS_MAX },
  )
  const answer = await asked.catch((cause: unknown) => {
    throw new ConfirmationError(`The dialog failed: ${(cause as Error).message}`, command)
  })
  if (answer.action !== "accept" || answer.content?.["decision"] !== "yes")
    throw new ConfirmationError("The person did not accept it in the dialog.", command)
}
