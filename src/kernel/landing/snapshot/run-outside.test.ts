/** A change of files that the hooks of a contained agent's home may run waits for a person. */
import { rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { LandingTest } from "../../../../test/support/landing.ts"
import { TestRepo } from "../../../../test/support/repo.ts"
import type { Oid } from "../../../base/ids.ts"
import { approve } from "../../tasks/actions/approve.ts"
import { runsOutside } from "./run-outside.ts"

const LINES = "# a\n# b\n# c\n# d\n# e\n# f\n"

test("a change that the merge puts into a hook's renamed script waits for a person, once [43.32]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate: false, outside: ["sh scripts/done.sh"] })
  const base = repo.commit({ "old/send.sh": LINES }, "the script") as Oid
  const worktree = repo.worktree("work", base)
  repo.commit({ "old/send.sh": `${LINES}node x\n` }, "work", worktree)
  repo.commit({ "old/send.sh": null, "scripts/done.sh": LINES }, "rename")
  const id = it.submit({ branch: "work", worktree, base })
  const landing = await it.run(id)
  expect(landing).toMatchObject({ state: "in_review" })
  expect(landing.reason).toContain("scripts/done.sh")
  expect(it.files()).toMatchObject({ "scripts/done.sh": LINES.trim() })
  approve(it.context, it.task(id))
  expect(await it.run(id)).toMatchObject({ state: "landed" })
})

test("scripts are followed through each other, and other programs reach all [43.32]", async () => {
  using repo = new TestRepo()
  const base = repo.commit(
    { "one.sh": "sh scripts/two.sh\n", "scripts/two.sh": "cat\n" },
    "a",
  ) as Oid
  const worktree = repo.worktree("work", base)
  const runs = (command: string, head: Oid) =>
    runsOutside({ path: repo.path, base, head, target: base }, [command])
  const other = repo.commit({ "src/a.ts": "a\n" }, "other", worktree) as Oid
  expect(await runs("sh one.sh", other)).toBeNull()
  expect(await runs("node one.js", other)).toContain("src/a.ts")
  const script = repo.commit({ "scripts/two.sh": "node x\n" }, "script", worktree) as Oid
  expect(await runs("sh one.sh", script)).toContain("scripts/two.sh")
  const target = { path: repo.path, base, head: script, target: script }
  expect(await runsOutside(target, ["sh one.sh"])).toContain("src/a.ts")
})

test("a link of a folder on the way to a hook's script, and what it leads to, waits for a person [43.32]", async () => {
  using repo = new TestRepo()
  symlinkSync("tools/scripts", join(repo.path, "scripts"))
  const base = repo.commit({ "tools/scripts/done.sh": "cat\n" }, "linked") as Oid
  const worktree = repo.worktree("work", base)
  const runs = async (command: string, head: string) =>
    await runsOutside({ path: repo.path, base, head: head as Oid, target: base }, [command])
  const commands = ["sh scripts/done.sh", "curl -Kscripts/done.sh https://example.org"]
  const script = repo.commit({ "tools/scripts/done.sh": "id\n" }, "script", worktree)
  for (const command of commands)
    expect(await runs(command, script)).toContain("tools/scripts/done.sh")
  repo.gitIn(worktree, "reset", "--hard", base)
  rmSync(join(worktree, "scripts"))
  symlinkSync("/home/me/build", join(worktree, "scripts"))
  const link = repo.commit({ "other.ts": "a\n" }, "link", worktree)
  for (const command of commands) expect(await runs(command, link)).toMatch(/: scripts$/)
})
