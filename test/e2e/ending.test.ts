/** The next daemon carries out a request to a daemon that is about to end, or no daemon does. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { DaemonAddress } from "../../src/api/client/daemon-address.ts"
import { StatusDocument } from "../../src/api/wire/home.ts"
import { TasksDocument } from "../../src/api/wire/tasks.ts"
import { readIdentity } from "../../src/kernel/process/process-identity.ts"
import { Fleet } from "../support/fleet.ts"
import { LAUNCHER } from "../support/home.ts"
import { waitFor } from "../support/wait-for.ts"

/** Takes the daemon a few seconds to end. */
const STUBBORN = 'trap "" TERM; while [ ! -f "$STEPS/go" ]; do sleep 0.1; done; echo 1 > 1.txt'

function daemonOf(fleet: Fleet): DaemonAddress {
  const [path = ""] = globSync(join(fleet.home.path, "state/coppice/*/daemon.json"))
  return JSON.parse(readFileSync(path, "utf8"))
}

async function askDown({ address, token }: DaemonAddress): Promise<void> {
  const headers = { authorization: `Bearer ${token}` }
  await fetch(`${address}/down`, { method: "POST", headers })
}

async function terminate({ pid }: DaemonAddress): Promise<void> {
  process.kill(pid, "SIGTERM")
}

test.each([
  ["`coppice down`", askDown],
  ["a signal", terminate],
])("the next daemon accepts a task that is given while %s ends the daemon", async (_, end) => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const first = await fleet.start(STUBBORN)
  await fleet.event(({ type }) => type === "turn.began")
  const last = daemonOf(fleet)
  expect(last.identity).toBe(readIdentity(last.pid))
  await end(last)

  const second = await fleet.start("echo 2 > 2.txt")
  const status = await fleet.json(StatusDocument, ["status"])
  expect(status).toMatchObject({ running: true })
  expect(status.pid).not.toBe(last.pid)
  expect(readIdentity(last.pid)).toBeUndefined()
  expect((await fleet.json(TasksDocument, ["ls"])).tasks).toHaveLength(2)
  fleet.noted("go")
  for (const id of [first, second])
    expect(await fleet.until(id)).toMatchObject({ state: "complete" })
})

test("a daemon in the foreground says in one document that it is ready, and ends by a signal", async () => {
  await using fleet = new Fleet()
  const options = { cwd: fleet.repo.path, env: fleet.env }
  const child = spawn(process.execPath, [LAUNCHER, "up", "--json"], options)
  const exited = once(child, "exit")
  let said = ""
  child.stdout.setEncoding("utf8").on("data", (text) => {
    said += text
  })
  await waitFor("the document", () => said.endsWith("}\n"))
  expect(StatusDocument.parse(JSON.parse(said))).toMatchObject({ running: true, pid: child.pid })
  expect(await fleet.pid()).toBe(child.pid)
  child.kill("SIGTERM")
  expect(await exited).toEqual([0, null])
  expect(JSON.parse(said)).toMatchObject({ running: true })
})
