/** A set-up that is cut short by `down`, by a failure or by `cancel` leaves nothing behind. */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { EventsDocument } from "../../src/api/wire/events.ts"
import { StatusDocument } from "../../src/api/wire/home.ts"
import { Fleet } from "../support/fleet.ts"
import { waitFor } from "../support/wait-for.ts"

test("down does not wait for a remote that does not answer, and up begins again", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const ssh = join(fleet.steps, "ssh.sh")
  writeFileSync(ssh, `echo call >> "${fleet.steps}/calls"; sleep 300`)
  fleet.userConfig("core.sshCommand", `sh ${ssh}`)
  fleet.repo.git("remote", "add", "origin", "ssh://localhost/nowhere")
  const id = await fleet.start("echo x > x.txt")
  await waitFor("the call", () => fleet.noted("calls").length === 1)

  await fleet.json(StatusDocument, ["down"])
  expect(await fleet.json(StatusDocument, ["status"])).toMatchObject({ running: false })
  fleet.repo.git("remote", "remove", "origin")
  expect(await fleet.until(id)).toMatchObject({ state: "complete", landing: { outcome: "LANDED" } })
})

test("a cancelled task leaves nothing of a set-up that failed in the checkout", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  fleet.userConfig("filter.broken.clean", "cat")
  fleet.userConfig("filter.broken.smudge", "false")
  fleet.repo.commit({ ".gitattributes": "b.txt filter=broken\n", "b.txt": "b\n" })
  fleet.userConfig("filter.broken.required", "true")
  const id = await fleet.start("true")
  expect(await fleet.until(id)).toMatchObject({ state: "stuck", repos: [{ worktree: null }] })
  expect(fleet.leftovers()).not.toEqual([])

  await fleet.coppice("cancel", id)
  await fleet.event(({ type }) => type === "workspace.removed")
  await expect.poll(() => fleet.leftovers(), { timeout: 15_000 }).toEqual([])
})

test("a task that is cancelled while git checks out leaves nothing, also after kill -9", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const hold = join(fleet.steps, "hold")
  writeFileSync(hold, "")
  const smudge = `echo x >> '${fleet.steps}/holding'; while [ -e '${hold}' ]; do sleep 0.05; done; cat`
  fleet.userConfig("filter.hold.smudge", smudge)
  fleet.repo.commit({ ".gitattributes": "s.txt filter=hold\n", "s.txt": "s\n" })
  const id = await fleet.start("true")
  await waitFor("the checkout", () => fleet.noted("holding").length > 0)
  await fleet.kill()

  await fleet.coppice("cancel", id)
  rmSync(hold)
  await fleet.event(({ type }) => type === "workspace.removed")
  await expect.poll(() => fleet.leftovers(), { timeout: 15_000 }).toEqual([])
  const { events } = await fleet.json(EventsDocument, ["events", id])
  expect(events.filter(({ type }) => type === "rescue.made")).toEqual([])
})
