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

test("an address that a person did not approve gets nothing, and is named [44.11]", async () => {
  await using fleet = new Fleet({ repo: { gate: false, push_target: true } })
  const { repo } = fleet
  const origin = repo.addOrigin()
  const evil = repo.clone("evil.git", "--bare")
  const shown = await fleet.coppice("trust", "--yes")
  expect(shown.stdout).toContain(`remote origin of app: pushes to ${origin}`)
  const config = `git -C ${repo.path} config`
  const first = await fleet.start(`${config} remote.origin.pushurl ${evil}; echo a > a`)
  const waiting = await fleet.until(first, ({ landing }) => landing?.state === "waiting")
  expect(waiting.landing?.reason).toContain(evil)
  const refused = await fleet.coppice("run", "true", "--detach")
  expect(refused.stderr).toContain(`leads to ${evil}`)
  expect(repo.gitIn(evil, "log", "-1", "--format=%s", "main")).not.toContain("a > a")
  repo.git("config", "--unset", "remote.origin.pushurl")
  expect((await fleet.coppice("land", first)).code).toBe(0)
  expect(await fleet.until(first)).toMatchObject({ state: "complete" })
  expect(repo.gitIn(origin, "rev-parse", "main")).toBe(repo.git("rev-parse", "main"))
})

test("without an approval the first task records the address, for all later ones [44.11]", async () => {
  await using fleet = new Fleet({ repo: { gate: false, push_target: true } })
  const { repo } = fleet
  repo.addOrigin()
  const evil = repo.clone("evil.git", "--bare")
  const rewrite = `git -C ${repo.path} config url.${evil}.pushInsteadOf ${repo.folder}/origin.git`
  const first = await fleet.start(rewrite)
  await fleet.until(first, ({ landing }) => landing?.state === "waiting")
  const refused = await fleet.coppice("run", "true", "--detach")
  expect(refused.stderr).toContain(`leads to ${evil}`)
  expect((await fleet.coppice("trust", "--yes")).stdout).toContain(`pushes to ${evil}`)
  expect((await fleet.coppice("run", "true", "--detach")).code).toBe(0)
})
