import { expect, test } from "vitest"
import { narrowed } from "./container-calls.ts"

test("a list of allowed calls loses those for keyrings and virtual sockets, and keeps all else", () => {
  const allow = { action: "SCMP_ACT_ALLOW" }
  const refusal = { names: ["socket"], action: "SCMP_ACT_ERRNO", args: [{ index: 0, value: 16 }] }
  const before = {
    defaultAction: "SCMP_ACT_ERRNO",
    syscalls: [
      { names: ["keyctl"], ...allow },
      { names: ["read", "socket", "keyctl"], ...allow },
      refusal,
    ],
  }
  const { syscalls, defaultAction } = JSON.parse(narrowed(JSON.stringify(before)) ?? "")
  expect(defaultAction).toBe("SCMP_ACT_ERRNO")
  const args = [{ index: 0, value: 40, op: "SCMP_CMP_NE" }]
  expect(syscalls).toEqual([
    { names: ["read"], ...allow },
    refusal,
    { names: ["socket"], ...allow, args },
  ])
})

test.each(["", "{}", '{"defaultAction":"SCMP_ACT_ALLOW","syscalls":[]}'])(
  "%j is no such list",
  (text) => {
    expect(narrowed(text)).toBeUndefined()
  },
)
