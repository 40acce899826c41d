import { spawn } from "node:child_process"
import { expect, test } from "vitest"
import { waitFor } from "../../../test/support/wait-for.ts"
import { readIdentity as readFullIdentity } from "../../kernel/process/process-identity.ts"
import { findIdentity, isAlive } from "./process-alive.ts"

test("a process is there until it has ended, also as a zombie", async () => {
  // The shell becomes a program that never asks for its child, which stays a zombie.
  const script = "sleep 60 & echo $!; exec sleep 60"
  const parent = spawn("sh", ["-c", script], { stdio: ["ignore", "pipe", "ignore"] })
  try {
    const pid = await new Promise<number>((resolve) =>
      parent.stdout.once("data", (text) => resolve(Number(text))),
    )
    expect(isAlive(pid)).toBe(true)
    process.kill(pid, "SIGKILL")
    await waitFor("the child to be seen as ended", () => !isAlive(pid))
    expect(isAlive(parent.pid!)).toBe(true)
  } finally {
    parent.kill("SIGKILL")
  }
})

test.runIf(process.platform === "linux")("a later process with its pid is another one", () => {
  const identity = findIdentity(process.pid)
  expect(identity).toBe(readFullIdentity(process.pid))
  expect(isAlive(process.pid, identity)).toBe(true)
  expect(isAlive(process.pid, findIdentity(process.ppid))).toBe(false)
})
