/** A whole home with `push_target`: what it pushes, under the names that a real home has. */
import { expect, test } from "vitest"
import { Fleet } from "../support/fleet.ts"

test("work lands on the remote's target, with one receipt of the home [44.1]", async () => {
  await using fleet = new Fleet({ repo: { gate: false, push_target: true } })
  const origin = fleet.repo.addOrigin()
  for (const n of [1, 2]) {
    const id = await fleet.start(`echo ${n} > f${n}; git add .; git commit -qm C${n}`)
    expect(await fleet.until(id)).toMatchObject({ state: "complete" })
  }
  const remote = fleet.repo.gitIn(origin, "log", "--format=%s", "-2", "main")
  expect(remote.split("\n")).toEqual(["C2", "C1"])
  const receipts = fleet.repo.gitIn(origin, "for-each-ref", "--format=%(refname)", "refs/coppice")
  expect(receipts).toMatch(/^refs\/coppice\/receipt\/[0-9a-f]{16}\/main\/@$/)
})
