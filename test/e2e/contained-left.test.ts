/** The leftovers of a contained task that is cancelled or deleted. */
import { existsSync, globSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, test as vitest } from "vitest"
import { TaskDocument } from "../../src/api/wire/tasks.ts"
import { containedBy, listKinds } from "../support/contained.ts"
import { TestImage } from "../support/container.ts"
import { waitFor } from "../support/wait-for.ts"

const image = new TestImage()
afterAll(() => image[Symbol.dispose]())

describe.each(await listKinds(image))("in a $kind", (kind) => {
  const test = vitest.skipIf(kind.missing !== undefined)
  const contained = containedBy(kind)

  test("a task that is cancelled in the middle of a rebase names the folder of its commits [43.20]", async () => {
    await using fleet = contained()
    const id = await fleet.start(`
      echo a > a.txt && git add . && git commit -qm a && echo b > b.txt && git add . && git commit -qm b
      git rebase -q -x false HEAD~1; touch rebasing; sleep 600`)
    await waitFor("the rebase", async () => {
      const { worktree } = (await fleet.client.show(id)).repos[0] ?? {}
      return worktree && existsSync(join(worktree, "rebasing"))
    })
    await fleet.json(TaskDocument, ["cancel", id])
    const kept = await fleet.event(({ type }) => type === "workspace.kept")
    expect(JSON.stringify(kept.data)).toMatch(/a rebase is in progress.*They are kept in/)
  })

  test("a deleted task keeps no folder for what its agent wrote in its HOME [43.20]", async () => {
    await using fleet = contained()
    const head = "0123456789012345678901234567890123456789"
    const id = await fleet.start(`mkdir ~/private && echo ${head} > ~/private/HEAD && touch ~/at`)
    await fleet.until(id)
    await fleet.json(TaskDocument, ["delete", id, "--yes"])
    await fleet.until(await fleet.start("true"))
    const folders = globSync("state/coppice/*/contained/*", { cwd: fleet.home.path })
    expect(folders.map((path) => path.split("/").at(-1))).not.toContain(id)
  })
})
