/** `watch` ends, even if its task ends at the same moment. */
import { expect, test } from "vitest"
import type { Client } from "../../../api/client/client.ts"
import type { TaskDocument } from "../../../api/wire/tasks.ts"
import type { Shell } from "../command.ts"
import { Output } from "../output.ts"
import { command } from "./watch.ts"

test("a task that ends while its watch begins ends the watch", async () => {
  let state = "working"
  const show = async () => ({ id: "1", state, attention: false }) as TaskDocument
  const events = async () => {
    state = "complete"
    return { events: [{ seq: 7 }] }
  }
  const follow = () => {
    throw new Error("No event follows number 7.")
  }
  const log = async () => ({ lines: [] })
  const client = { show, events, log, followEvents: follow, followLog: follow }
  let printed = ""
  const stdout = { write: (text: string) => (printed += text) }
  const output = new Output({ stdout, stderr: stdout }, { json: true, env: {} })
  const connect = async () => client as unknown as Client
  const shell = { output, json: true, connect, onInterrupt: () => () => {} }
  expect(await command.run(shell as unknown as Shell, ["1"], {})).toBe(0)
  expect(JSON.parse(printed)).toMatchObject({ id: "1", state: "complete" })
})
