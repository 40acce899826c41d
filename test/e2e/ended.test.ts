/** After `coppice down`, reading commands read the store and start nothing. */
import { expect, test } from "vitest"
import { StatusDocument } from "../../src/api/wire/home.ts"
import { TaskDocument } from "../../src/api/wire/tasks.ts"
import { connect } from "../../src/index.ts"
import { Fleet } from "../support/fleet.ts"

const READS = [
  ["ls"],
  ["show", "1"],
  ["why", "1"],
  ["logs", "1", "-f"],
  ["events", "1"],
  ["queue"],
  ["diff", "1"],
  ["recover"],
  ["worktree", "list"],
]

test("after down every reading command reads, and no agent starts; up goes on [30.5, 30.6]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const wait = 'echo x >> "$STEPS/began"; echo hello; until [ -e "$STEPS/go" ]; do sleep 0.05; done'
  const id = await fleet.start(`${wait}; echo a > a.txt`, "--title", "Stays as it is")
  await fleet.event(({ type }) => type === "turn.began")

  const down = await fleet.coppice("down")
  expect(down.stdout).toBe(
    "The daemon has ended.\nInterrupted: 1 task (1 working). To continue: `coppice up -d`.\n",
  )
  const began = fleet.noted("began").length
  for (const args of READS) {
    const read = await fleet.coppice(...args)
    expect([args, read.code, read.stderr.includes("coppice:")]).toEqual([args, 0, false])
  }
  expect(await fleet.client.status()).toMatchObject({ running: false })
  const list = await fleet.coppice("ls")
  expect(list.stdout).toMatch(/waiting \(1\)\n.*the daemon was ended; `coppice up -d` continues it/)
  expect((await fleet.coppice("why", id)).stdout).toMatch(/ended\n.*\n.*unblock\s+`coppice up -d`/)
  expect((await fleet.coppice("show", "9")).stderr).toContain("There is no task `9`")
  expect(fleet.noted("began")).toHaveLength(began)

  fleet.step(1, "echo a > a.txt")
  await fleet.json(StatusDocument, ["up", "-d"])
  expect(await fleet.until(id)).toMatchObject({ state: "complete", landing: { outcome: "LANDED" } })
})

test("after down a task that has not begun waits for `up`, and for no place [30.5]", async () => {
  await using fleet = new Fleet({ repo: { gate: false }, limits: { concurrent: 1 } })
  await fleet.start("sleep 60")
  await fleet.event(({ type }) => type === "turn.began")
  const id = await fleet.start("sleep 60")
  expect((await fleet.coppice("ls")).stdout).toContain("waits for a free place")
  await fleet.coppice("down")
  const continues = "the daemon was ended; `coppice up -d` continues it"
  expect((await fleet.coppice("ls")).stdout.split(continues)).toHaveLength(3)
  expect((await fleet.coppice("why", id)).stdout).toMatch(/ended\n.*\n.*unblock\s+`coppice up -d`/)
})

test("a command that acts starts the daemon, and what was interrupted goes on [30.5]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const id = await fleet.start("sleep 60")
  await fleet.event(({ type }) => type === "turn.began")
  await fleet.coppice("down")
  fleet.step(1, "echo a > a.txt")
  await fleet.json(TaskDocument, ["say", "-d", id, "echo b > b.txt"])
  expect(await fleet.until(id)).toMatchObject({ state: "complete" })
})

test("after a daemon has died, the next command goes on as before [30.4]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const id = await fleet.start("sleep 60")
  await fleet.event(({ type }) => type === "turn.began")
  fleet.step(1, "echo a > a.txt")
  await fleet.kill()
  await fleet.coppice("ls")
  expect(await fleet.client.status()).toMatchObject({ running: true })
  expect(await fleet.until(id)).toMatchObject({ state: "complete" })
})

test("after down the library reads as the command line does, and starts nothing [30.5]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const id = await fleet.start("sleep 60")
  await fleet.event(({ type }) => type === "turn.began")
  await fleet.coppice("down")
  const client = connect({ cwd: fleet.repo.path, env: fleet.env })
  expect((await client.list()).tasks).toMatchObject([{ id, reason: { code: "ended" } }])
  expect(await client.why(id)).toMatchObject({ unblock: "`coppice up -d` continues it" })
  expect(await client.status()).toMatchObject({ running: false })
})
