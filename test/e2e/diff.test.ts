/** `coppice diff` shows a task's work while it works, and when it has landed. */
import { expect, test } from "vitest"
import { DiffDocument } from "../../src/api/wire/landings.ts"
import { Fleet } from "../support/fleet.ts"

test("diff shows work under way and what landed, as a patch, as figures and as names [19.5]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const work = "echo done > done.txt; git add .; git commit -qm done; echo left > left.txt"
  const go = 'echo made > "$STEPS/made"; while [ ! -f "$STEPS/go" ]; do sleep 0.05; done'
  const id = await fleet.start(`${work}; ${go}`)
  await fleet.until(id, () => fleet.noted("made").length > 0)
  const { repos } = await fleet.json(DiffDocument, ["diff", id])
  expect(repos).toMatchObject([
    { name: "app", uncommitted: ["left.txt"], truncated: false, conflicts: [], notices: [] },
  ])
  expect(repos[0]?.files.map(({ path, status }) => `${status} ${path}`)).toEqual([
    "A done.txt",
    "A left.txt",
  ])
  const patch = await fleet.coppice("diff", id)
  expect(patch.stderr).toBe("With 1 uncommitted file.\n")
  fleet.repo.write({ "../p.patch": patch.stdout })
  fleet.repo.git("apply", "--check", "../p.patch")
  const names = await fleet.coppice("diff", id, "--name-only", "--against", "target")
  expect(names.stdout).toBe("done.txt\nleft.txt\n")
  expect((await fleet.coppice("diff", id, "--stat")).stdout).toMatch(/^A {2}done\.txt {2}\+1 -0\n/)
  expect(await fleet.coppice("diff", id, "--against", "sideways")).toMatchObject({ code: 2 })
  expect((await fleet.coppice("diff", id, "--repo", "x")).stderr).toContain("It has: app")

  fleet.noted("go")
  await fleet.until(id)
  const landed = await fleet.json(DiffDocument, ["diff", id])
  expect(landed.repos[0]).toMatchObject({ to: fleet.repo.tip("main"), uncommitted: [] })
  expect(landed.repos[0]?.files).toHaveLength(2)
})
