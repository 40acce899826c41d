import { expect, test } from "vitest"
import { parseConfig } from "./parse.ts"

test("C05: a variable in a header that is not set is empty, and any other is a problem [41.2]", () => {
  const hook = `{ url: 'http://h.example', secret: 's\${S}', headers: { A: 'Bearer \${T}', B: '\${U:-u}' } }`
  const text = `agents: { a: { hooks: { on_error: [${hook}] } } }
notify: { me: { type: webhook, url: 'http://h.example', headers: { A: '\${T}' } } }`
  const parsed = parseConfig(`version: 1\n${text}`, { S: "x" }, "app")
  if (parsed.kind === "invalid") throw new Error(JSON.stringify(parsed.problems))
  const { agents, notify } = parsed.config
  expect(agents[0]?.hooks[0]?.headers).toEqual({ A: "Bearer ", B: "u" })
  expect(notify[0]?.headers).toEqual({ A: "" })
  const without = parseConfig(`version: 1\n${text}`, {}, "app")
  expect(without).toMatchObject({
    kind: "invalid",
    problems: [{ path: "agents.a.hooks.on_error.0.secret" }],
  })
})
