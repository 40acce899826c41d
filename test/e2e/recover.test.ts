/** `coppice recover` finds work that was saved before a removal, and brings it back. */
import { expect, test } from "vitest"
import { RescuesDocument, RestoredDocument } from "../../src/features/recover/wire.ts"
import { Fleet } from "../support/fleet.ts"

test("the work of a task that was cancelled is listed, and becomes a branch again [4.8]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const work = "echo c > c.txt; git add c.txt; git commit -qm kept; echo u > u.txt"
  const id = await fleet.start(`${work}; echo made > "$STEPS/made"; sleep 600`)
  await fleet.event(({ type }) => type === "turn.began")
  await fleet.until(id, () => fleet.noted("made").length > 0)
  expect((await fleet.coppice("recover")).stdout).toBe("Nothing was rescued.\n")
  await fleet.coppice("cancel", id)
  await fleet.event(({ type }) => type === "workspace.removed")
  fleet.repo.write({ "mine.txt": "mine\n" })

  const { rescues } = await fleet.json(RescuesDocument, ["recover"])
  const [rescue] = rescues
  expect(rescue).toMatchObject({ task: id, repo: fleet.repo.path, filesInAll: 1 })
  expect(rescue?.files).toEqual([{ path: "u.txt", status: "A" }])
  expect(rescue?.commits).toEqual([expect.stringMatching(/ kept$/)])
  const { stdout } = await fleet.coppice("recover")
  for (const fact of [rescue!.ref, `task ${id}`, "A u.txt", "kept"]) expect(stdout).toContain(fact)

  const restored = await fleet.json(RestoredDocument, ["recover", `${id}/1`])
  expect(restored).toMatchObject({ branch: `recovered/${id}-1`, commit: rescue?.commit })
  expect(fleet.repo.git("show", `${restored.branch}:u.txt`)).toBe("u")
  expect(fleet.repo.git("show", `${restored.branch}:c.txt`)).toBe("c")
  expect(fleet.repo.git("status", "--porcelain")).toBe("?? mine.txt")
  for (const command of restored.look) fleet.repo.git(...command.split(" ").slice(1))
  const refused = await fleet.coppice("recover", `${id}/1`, "--branch", "main")
  expect(refused).toMatchObject({ code: 2, stdout: "" })
  expect(refused.stderr).toContain("checked out in")
  for (const name of ["@", "refs/heads/main"]) {
    const { code, stderr } = await fleet.coppice("recover", `${id}/1`, "--branch", name)
    expect([name, code, stderr]).toEqual([name, 2, expect.stringContaining("as a branch name")])
  }
  const listed = async () => (await fleet.json(RescuesDocument, ["recover"])).rescues.length
  expect(await listed(), "a branch has it").toBe(0)
  fleet.repo.git("branch", "-qD", restored.branch)
  expect(await listed()).toBe(1)
  expect((await fleet.coppice("recover", "7/99")).stderr).toContain("There is no rescue")
})
