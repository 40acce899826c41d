/** `gc` says what went, and says that there was nothing only if there was nothing. */
import { expect, test } from "vitest"
import type { Client } from "../../../api/client/client.ts"
import type { Shell } from "../../../surfaces/cli/command.ts"
import { Output } from "../../../surfaces/cli/output.ts"
import type { GcDocument } from "../wire.ts"
import { command } from "./gc.ts"

async function gc(document: Pick<GcDocument, "dryRun" | "records">): Promise<string> {
  const client = { gc: async () => ({ ...document, repos: [], notices: [] }) }
  let printed = ""
  const stdout = { write: (text: string) => (printed += text) }
  const output = new Output({ stdout, stderr: stdout }, { json: false, env: {} })
  const shell = { output, json: false, connect: async () => client as unknown as Client }
  await command.run(shell as unknown as Shell, [], { "dry-run": document.dryRun })
  return printed
}

test.each([
  [false, 0, 42, "Deleted 42 rows of records older than `maintenance.retention`.\n"],
  [false, 0, 0, "There is nothing to remove.\n"],
  [
    true,
    3,
    null,
    "Would delete the records of 3 finished tasks older than `maintenance.retention`.\n",
  ],
  [true, 0, null, "There is nothing to remove.\n"],
])("dry run %s with records of %i tasks and %o rows: %s", async (dryRun, tasks, deleted, said) => {
  expect(await gc({ dryRun, records: { tasks, deleted } })).toBe(said)
})
