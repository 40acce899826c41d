import { expect, test } from "vitest"
import { LandingTest } from "../../../../test/support/landing.ts"
import { type Files, TestRepo } from "../../../../test/support/repo.ts"
import type { LandingId } from "../../../base/ids.ts"
import { recordTask } from "../../tasks/rows/record.ts"
import { recordWorkspace } from "../../tasks/rows/task-repos/workspace.ts"
import type { HandBackDetails } from "../prompts/hand-back.ts"
import { addApproval, listPendingApprovals } from "../rows/approvals.ts"
import { recordLanding } from "../rows/record.ts"

const lines = (...changes: readonly (readonly [number, string])[]): string => {
  const all = Array.from({ length: 20 }, (_, n) => `line ${n}`)
  for (const [n, text] of changes) all[n] = text
  return `${all.join("\n")}\n`
}

const BEFORE: Files = {
  "long.txt": lines(),
  "old.txt": "old\n",
  "gone.txt": "to be deleted\n",
  "name.txt": "a name of some length\n",
}
const GAINED: Files = {
  "long.txt": lines([2, "the target's"], [15, "another of the target's"]),
  "old.txt": "new\n",
  "added.txt": "added\n",
  "gone.txt": null,
}

type Given = {
  readonly it: LandingTest
  readonly repo: TestRepo
  readonly worktree: string
  /** In the worktree. */
  git(...args: string[]): string
}

/** A task whose target has gained a commit since it began. The agent does `work`; then it lands. */
async function landing(
  work: (given: Given) => void,
  then: (given: Given, id: LandingId) => unknown = () => {},
  [before, gained]: readonly [Files, Files] = [BEFORE, GAINED],
) {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate: false })
  const base = repo.commit(before, "before")
  const worktree = repo.worktree("feat")
  const git = (...args: string[]) => repo.gitIn(worktree, ...args)
  const given = { it, repo, worktree, git }
  repo.commit(gained, "gained")
  work(given)
  const id = it.submit({ branch: "feat", base })
  const { state, outcome, reason, details } = await it.run(id)
  const dropped = (details as HandBackDetails | null)?.stale?.dropped ?? []
  const paths = dropped.flatMap((one) => [...one.paths, ...one.byHand]).sort()
  await then(given, id)
  return { state, outcome, reason, paths, end: it.landing(id), files: it.files() }
}

const STALE = { state: "handed_back", outcome: "STALE_FILES" }
const ALL = ["added.txt", "gone.txt", "long.txt", "old.txt"]

const own = ({ repo, worktree }: Given, files: Files = { "work.txt": "w\n" }) =>
  repo.commit(files, "work", worktree)

test.each<[string, (given: Given) => void]>([
  ["reset --soft", ({ git }) => git("reset", "--quiet", "--soft", "main")],
  ["update-ref", ({ git }) => git("update-ref", "refs/heads/feat", "main")],
  ["merge -s ours", ({ git }) => git("merge", "--quiet", "-s", "ours", "-m", "m", "main")],
  [
    "a tool that copies its old tree over",
    (given) => {
      given.git("reset", "--quiet", "--hard", "main")
      given.repo.write({ ...BEFORE, "added.txt": null, "work.txt": "w\n" }, given.worktree)
    },
  ],
])("%s leaves old files on the newest base: they go back to the agent [2.13]", async (_, how) => {
  const { paths, files, ...rest } = await landing((given) => {
    own(given)
    how(given)
  })
  expect(rest).toMatchObject(STALE)
  expect(rest.reason).toContain("drops changes that its target had gained, in ")
  expect(paths).toEqual(ALL)
  expect(files).toMatchObject({ "old.txt": "new" })
})

test("the commands of the prompt bring all of it back, and the work lands with it [2.13]", async () => {
  const { end, files } = await landing(
    (given) => {
      own(given, { "work.txt": "w\n", "long.txt": lines([8, "the agent's"]) })
      given.git("reset", "--quiet", "--soft", "main")
    },
    async ({ it, git }, id) => {
      const { stale } = it.landing(id).details as HandBackDetails
      git("restore", `--source=${stale?.dropped[0]?.tree}`, "--staged", "--worktree", "--", ":/")
      it.resubmit(id)
      await it.run(id)
    },
  )
  expect(end).toMatchObject({ state: "landed" })
  const all = lines([2, "the target's"], [8, "the agent's"], [15, "another of the target's"])
  expect(files).toEqual({
    "README.md": "hello",
    "long.txt": all.trim(),
    "name.txt": "a name of some length",
    "old.txt": "new",
    "added.txt": "added",
    "work.txt": "w",
  })
})

test("files that stay as they are wait for a person, whose approval lands them [2.13]", async () => {
  const { state, end, files } = await landing(
    (given) => {
      given.git("reset", "--quiet", "--hard", "main")
      given.git("revert", "--no-edit", "main")
    },
    async ({ it }, id) => {
      it.resubmit(id)
      const waits = await it.run(id)
      expect(waits).toMatchObject({ state: "in_review" })
      expect(waits.reason).toContain("drops changes that its target had gained")
      expect(it.task(id).state).toBe("in_approval")
      for (const pending of listPendingApprovals(it.db, id))
        addApproval(it.db, { task: waits.task, ...pending }, it.nowMs)
      recordLanding(it.db, waits, { event: "approved" }, it.nowMs)
      recordTask(it.db, it.task(id), { event: "approved" }, it.nowMs)
      await it.run(id)
    },
  )
  expect([state, end.state]).toEqual(["handed_back", "landed"])
  expect(files).toMatchObject({ "old.txt": "old", "gone.txt": "to be deleted" })
})

test("a merge that was cut off drops a line in a file with changes of both: only that counts [2.13]", async () => {
  const { paths, ...rest } = await landing((given) => {
    const { git, repo, worktree } = given
    own(given, { "long.txt": lines([8, "the agent's"]) })
    git("merge", "--quiet", "--no-commit", "--no-ff", "main")
    const half = lines([8, "the agent's"], [15, "another of the target's"])
    repo.write({ "long.txt": half }, worktree)
    git("commit", "--quiet", "--all", "-m", "merged")
  })
  expect(rest).toMatchObject(STALE)
  expect(paths).toEqual(["long.txt"])
})

test("a conflict that was resolved by one side drops what did not conflict [2.13]", async () => {
  const { paths, ...rest } = await landing((given) => {
    const { git, repo, worktree } = given
    own(given, { "long.txt": lines([2, "the agent's"]) })
    expect(() => git("merge", "--quiet", "main")).toThrow()
    repo.write({ "long.txt": lines([2, "the agent's"]) }, worktree)
    git("commit", "--quiet", "--all", "-m", "merged")
  })
  expect(rest).toMatchObject(STALE)
  expect(paths).toEqual(["long.txt"])
})

test("a merge that drops the agent's own side is told, with its commit [2.13]", async () => {
  const { reason, paths } = await landing((given) => {
    own(given, { "name.txt": "the agent's\n" })
    given.git("merge", "--quiet", "--no-commit", "main")
    given.repo.write({ "name.txt": BEFORE["name.txt"]! }, given.worktree)
    given.git("commit", "--quiet", "--all", "-m", "merged")
    own(given)
  })
  expect(paths).toEqual(["name.txt"])
  expect(reason).toMatch(
    /^drops changes of a parent of its merge commit [0-9a-f]{12}, in name.txt$/,
  )
})

test("a resolution, a rename and more work on what the target gained are the agent's [2.13]", async () => {
  const { state, files } = await landing((given) => {
    own(given, { "long.txt": lines([2, "the agent's"]) })
    expect(() => given.git("rebase", "--quiet", "main")).toThrow()
    const both = lines([2, "the agent's, and the target's"], [15, "another of the target's"])
    given.repo.write({ "long.txt": both }, given.worktree)
    given.git("add", "--all")
    given.git("-c", "core.editor=true", "rebase", "--continue")
    given.git("mv", "added.txt", "moved.txt")
    own(given, { "old.txt": "newer\n" })
  })
  expect(state).toBe("landed")
  expect(files).toMatchObject({ "moved.txt": "added", "old.txt": "newer" })
})

const body = (name: string) => `function ${name}() {\n  return one + ${name}Of(two)\n}\n`
const indented = (text: string) => text.replaceAll(/^/gm, "  ").trimEnd()

test.each<[string, Files, Files]>([
  [
    "to another file",
    { "f.txt": body("a") + body("b") },
    { "f.txt": body("a"), "g.txt": body("b") },
  ],
  ["within its file", { "f.txt": body("a") + body("b") }, { "f.txt": body("b") + body("a") }],
  [
    "into a new shape",
    { "f.txt": body("a") + body("b") },
    { "f.txt": body("a"), "g.txt": `export class G {\n${indented(body("b"))}\n}\n` },
  ],
  [
    "into two files, from one that is new",
    { "f.txt": body("a"), "new.txt": body("b") + body("c") + body("d") },
    { "new.txt": null, "b.txt": body("b"), "c.txt": body("c") + body("e") + body("d") },
  ],
])(
  "lines that the target gained and the agent moves %s are not dropped [2.13]",
  async (_, gain, work) => {
    const moved = (given: Given) => {
      given.git("reset", "--quiet", "--hard", "main")
      own(given, work)
    }
    const { state, paths } = await landing(moved, undefined, [{ "f.txt": body("a") }, gain])
    expect({ state, paths }).toEqual({ state: "landed", paths: [] })
  },
)

test("old files of two, between which the target moved lines, are both told [2.13]", async () => {
  const { paths, ...rest } = await landing(
    (given) => {
      own(given)
      given.git("reset", "--quiet", "--soft", "main")
    },
    undefined,
    [
      { "f.txt": body("a") + body("b"), "g.txt": body("c") },
      { "f.txt": body("a"), "g.txt": body("c") + body("b") },
    ],
  )
  expect(rest).toMatchObject(STALE)
  expect(paths).toEqual(["f.txt", "g.txt"])
})

test.each([
  ["that came with another branch is not the agent's", [], "landed"],
  ["that came from a remote is not the agent's", ["origin/theirs"], "landed"],
  ["that the agent pushed itself is the agent's", ["origin/feat"], "handed_back"],
  ["that is the agent's, on no other branch, is", [], "handed_back"],
] as const)("a merge commit %s [2.13]", async (how, remotes, state) => {
  const isMerged = how.startsWith("that came with")
  const landed = await landing((given) => {
    const { repo, git } = given
    const at = isMerged ? repo.worktree("dev") : given.worktree
    const old = repo.worktree("old", "main~1")
    repo.commit({ "name.txt": "of old\n" }, "old", old)
    repo.commit({ "dev.txt": "d\n" }, "dev", at)
    repo.gitIn(at, "merge", "--quiet", "-s", "ours", "-m", "ours", "old")
    for (const name of remotes) git("update-ref", `refs/remotes/${name}`, "feat")
    own(given)
    if (isMerged) git("merge", "--quiet", "--no-ff", "-m", "m", "dev")
  })
  expect(landed.state).toBe(state)
})

test("an agent is asked once, also if other work comes back in between [2.13]", async () => {
  await landing(
    (given) => {
      given.git("reset", "--quiet", "--hard", "main")
      given.git("revert", "--no-edit", "main")
    },
    async (given, id) => {
      const { it } = given
      it.resubmit(id)
      const waits = await it.run(id)
      expect(waits).toMatchObject({ state: "in_review" })
      recordLanding(it.db, waits, { event: "rejected", details: null }, it.nowMs)
      recordTask(it.db, it.task(id), { event: "rejected" }, it.nowMs)
      own(given)
      it.resubmit(id)
      expect(await it.run(id)).toMatchObject({ state: "in_review" })
    },
  )
})

test("a task may change its own work of an earlier landing [2.13]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate: false })
  const base = repo.commit(BEFORE, "before")
  const worktree = repo.worktree("feat")
  repo.commit({ "old.txt": "landed\n" }, "work", worktree)
  const first = it.submit({ branch: "feat", base })
  expect(await it.run(first)).toMatchObject({ state: "landed" })
  const again = repo.worktree("again")
  repo.commit({ "old.txt": "old\n", "work.txt": "w\n" }, "other work", again)
  recordTask(it.db, it.task(first), { event: "resumed" }, it.nowMs)
  const at = { task: it.landing(first).task, name: "app", branch: "again", worktree: again }
  recordWorkspace(it.db, { ...at, base, placed: [] })
  expect(await it.run(it.request(at.task))).toMatchObject({ state: "landed", outcome: "LANDED" })
  expect(it.files()).toMatchObject({ "old.txt": "old", "work.txt": "w" })
})
