/** Messages of an ACP agent that no real one should send, and its requests. */
import { expect, test } from "vitest"
import { sent } from "../../../test/support/acp.ts"
import type { Person } from "../../kernel/runtime/runtime.ts"
import { addUsage } from "../../kernel/tasks/rules/usage.ts"

const updated = (update: unknown) => ({
  method: "session/update",
  params: { sessionId: "S", update },
})

test("updates that no agent should send are no error of ours", async () => {
  const odd = [null, 7, "x", [], {}, { sessionUpdate: 7 }, { sessionUpdate: "agent_message_chunk" }]
  const tools = [
    { sessionUpdate: "tool_call" },
    { sessionUpdate: "tool_call_update", status: "failed", content: 7, title: {} },
    { sessionUpdate: "tool_call_update", status: "failed", content: [null, { content: 3 }] },
    { sessionUpdate: "usage_update", cost: { amount: "much", currency: "USD" } },
    { sessionUpdate: "agent_message_chunk", content: { text: [1] }, messageId: {} },
  ]
  const bare = [{ method: "session/update" }, { method: "session/update", params: null }]
  const { end } = await sent([...[...odd, ...tools].map(updated), ...bare, { id: 9 }, { id: null }])
  expect(end).toEqual({ kind: "ended" })
})

test("the cost of a turn is what the session's total grew by", async () => {
  const cost = (amount: number, currency = "USD") =>
    updated({ sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount, currency } })
  const { session } = await sent([cost(0.25), cost(0.25), cost(0.75), cost(9, "EUR")])
  const used = session.spent.map(([, usage]) => usage).reduce(addUsage)
  expect(used).toMatchObject({ turns: 0, costUsd: 0.75 })
})

test("files and terminals of ours are refused, inside the worktree and outside", async () => {
  const { results } = await sent([
    { id: 50, method: "fs/read_text_file", params: { sessionId: "S", path: "/etc/hostname" } },
    { id: 51, method: "fs/write_text_file", params: { path: "a", content: "x" } },
    { id: 52, method: "terminal/create", params: { command: "sh" } },
  ])
  const refused = (what: string) => ({ error: { message: expect.stringContaining(what) } })
  const methods = ["fs/read_text_file", "fs/write_text_file", "terminal/create"]
  expect(results).toMatchObject(methods.map(refused))
})

test("a question of the program reaches a person, field by field", async () => {
  const asked: unknown[] = []
  const answers = ["Blue", "7", "yes", "a"]
  const ask: Person["ask"] = async (question) => {
    asked.push(question)
    return answers.shift()
  }
  const properties = {
    colour: {
      type: "string",
      oneOf: [{ const: "b", title: "Blue" }],
      description: "Which colour?",
    },
    size: { type: "integer", title: "Size" },
    loud: { type: "boolean" },
    tags: { type: "array", items: { enum: ["a", "b"] } },
  }
  const params = {
    mode: "form",
    sessionId: "S",
    message: "Choose.",
    requestedSchema: { properties },
  }
  const { results } = await sent([{ id: 50, method: "elicitation/create", params }], { ask })
  expect(asked).toEqual([
    { text: "Choose.\nWhich colour?", choices: ["Blue"] },
    { text: "Choose.\nSize", choices: [] },
    { text: "Choose.", choices: ["yes", "no"] },
    { text: "Choose.", choices: ["a", "b"] },
  ])
  const content = { colour: "b", size: 7, loud: true, tags: ["a"] }
  expect(results).toMatchObject([{ result: { action: "accept", content } }])
})

test("a permission with choices of its own is a question, and a plan writes no file", async () => {
  const request = (kind: string, options: object[]) => ({
    id: 50,
    method: "session/request_permission",
    params: { sessionId: "S", toolCall: { toolCallId: "x", title: "Go on?", kind }, options },
  })
  const own = [
    { optionId: "l", name: "Left", kind: "left" },
    { optionId: "r", name: "Right" },
  ]
  const both = [
    { optionId: "y", name: "Yes", kind: "allow_once" },
    { optionId: "n", name: "No", kind: "reject_once" },
  ]
  const outcome = async (...given: Parameters<typeof sent>) => {
    const { results } = await sent(...given)
    return (results[0]!.result as { outcome: unknown }).outcome
  }
  const ask = async () => "Right"
  expect(await outcome([request("other", own)], { ask })).toMatchObject({ optionId: "r" })
  expect(await outcome([request("other", own)])).toEqual({ outcome: "cancelled" })
  expect(await outcome([request("edit", both)])).toMatchObject({ optionId: "y" })
  expect(await outcome([request("edit", both)], {}, true)).toMatchObject({ optionId: "n" })
  expect(await outcome([request("edit", own)], { ask }, true)).toEqual({ outcome: "cancelled" })
})

test("the limit of answers is a budget", async () => {
  const tool = (n: number) => updated({ sessionUpdate: "tool_call", toolCallId: `${n}`, title: "x", status: "completed" }) // biome-ignore format: one call
  const { end } = await sent(Array.from({ length: 60 }, (_, n) => tool(n)))
  expect(end).toMatchObject({ kind: "stuck", code: "budget" })
})
