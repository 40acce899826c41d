import { spawn } from "node:child_process"
import { once } from "node:events"
import { expect, test } from "vitest"
import { endTree } from "./end-tree.ts"
import { readIdentity } from "./process-identity.ts"
import { listRunning, parsePs, readProcess } from "./process-table.ts"

test("the output of ps is read", () => {
  const rows = parsePs(
    [
      "    1     0     1 Ss   Sat Nov 21 21:17:01 2026 /sbin/init",
      "  734     1   734 S+   Sun Nov  1 09:07:59 2026 node x.js COPPICE_PROCESS=abc:7 HOME=/root",
      "  735   734   734 Z    Sun Nov  1 09:08:00 2026 (node)",
      "",
    ].join("\n"),
  )
  expect(rows).toMatchObject([
    { pid: 1, parent: 0, group: 1, started: "Sat Nov 21 21:17:01 2026" },
    { pid: 734, parent: 1, group: 734, started: "Sun Nov  1 09:07:59 2026" },
  ])
  expect(rows.map((row) => row.carries("abc"))).toEqual([false, true])
  expect(rows[1]!.carries("abc:7")).toBe(true)
  expect(rows[1]!.carries("abc:")).toBe(false)
  expect(rows[1]!.carries("ab")).toBe(false)
})

test("a process is found with its parent and group; an ended one is not", async () => {
  const child = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" })
  const { pid } = child
  expect(readProcess(pid!)).toMatchObject({ pid, parent: process.pid, group: pid })
  expect(listRunning().some((row) => row.pid === pid)).toBe(true)
  child.kill("SIGKILL")
  await once(child, "exit")
  expect(readIdentity(pid!)).toBeUndefined()
})

test("a process is not ended under the identity of an earlier one with its pid", async () => {
  const child = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" })
  const pid = child.pid!
  const identity = readIdentity(pid)!
  await endTree({ pid, identity: `${identity}0`, mark: "unused", cgroup: null }, 0)
  expect(readIdentity(pid)).toBe(identity)

  const exit = once(child, "exit")
  await endTree({ pid, identity, mark: "unused", cgroup: null }, 1000)
  expect(await exit).toEqual([null, "SIGTERM"])
})

test("processes with the mark are ended even if the leader is long gone", async () => {
  const env = { PATH: process.env["PATH"]!, COPPICE_PROCESS: "left:3" }
  const child = spawn("sleep", ["1000"], { detached: true, stdio: "ignore", env })
  const exit = once(child, "exit")
  await endTree({ pid: 999_999_999, identity: "gone", mark: "left", cgroup: null }, 1000)
  expect(await exit).toEqual([null, "SIGTERM"])
})
