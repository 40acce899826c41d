import { expect, test } from "vitest"
import { readYaml } from "../base/text/yaml.ts"
import { layConfig } from "./layers.ts"

function laid(user: string | null, main: string | null, local: string | null) {
  const found = layConfig({ user, main, local })
  if (found.kind === "invalid") return found
  const read = found.text === null ? undefined : readYaml(found.text)
  return read?.kind === "ok" ? read.value : found.text
}

test("C07: the local file wins over coppice.yml, and that over the user's: sections merged, lists replaced [31.9]", () => {
  const user =
    "agents: { a: { model: u, instructions: [U, V] }, u: {} }\nlimits: { concurrent: 1, reserve: 5 }"
  const main =
    "version: 1\nagents: { b: {}, a: { model: m, session: { max_turns: 7, timeout: 1h } } }"
  const local = "agents: { a: { session: { timeout: 2h } }, c: {} }\nlimits: { concurrent: 3 }"
  const found = laid(user, main, local) as { agents: object }
  expect(found).toEqual({
    version: 1,
    agents: {
      b: {},
      a: { model: "m", session: { max_turns: 7, timeout: "2h" }, instructions: ["U", "V"] },
      c: {},
      u: {},
    },
    limits: { concurrent: 3, reserve: 5 },
  })
  expect(Object.keys(found.agents), "the first agent stays first").toEqual(["b", "a", "c", "u"])
  expect(laid(null, "a: [1, 2]\nb: { c: 1 }", "a: [3]\nb: 4")).toEqual({ a: [3], b: 4 })
})

test("coppice.yml alone keeps its text byte for byte [31.9]", () => {
  const main = "# mine\nversion:   1\n"
  expect(layConfig({ user: null, main, local: null })).toEqual({ kind: "ok", text: main })
  expect(laid(null, null, null)).toBeNull()
})

test("values keep their type, and names that objects have of their own work [31.9]", () => {
  const main = 'a: "false"\nb: "1"\nc: 1\nd: "${X:-y}"\ne: |\n  two\n  lines\nconstructor: { f: 1 }'
  expect(laid(null, main, "constructor: { g: 2 }")).toEqual({
    a: "false",
    b: "1",
    c: 1,
    d: "${X:-y}",
    e: "two\nlines\n",
    constructor: { f: 1, g: 2 },
  })
  expect(({} as { g?: number }).g).toBeUndefined()
})

test("the user's file needs no version, with or without a coppice.yml [31.9]", () => {
  const user = "limits: { concurrent: 2 }\n"
  for (const main of [null, "version: 1\n"]) {
    const laid = layConfig({ user, main, local: null })
    expect(laid).toEqual({ kind: "ok", text: "version: 1\nlimits:\n  concurrent: 2\n" })
  }
})

test("the file with a mistake is named [31.9]", () => {
  expect(laid(null, "a: 1", "a: [")).toMatchObject({ kind: "invalid", layer: "local" })
  expect(laid("- a", "a: 1", null)).toMatchObject({ kind: "invalid", layer: "user" })
})
