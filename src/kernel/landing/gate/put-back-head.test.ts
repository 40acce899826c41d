import { execFileSync } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { Crash, LandingTest } from "../../../../test/support/landing.ts"
import { TestRepo } from "../../../../test/support/repo.ts"
import { waitFor } from "../../../../test/support/wait-for.ts"
import type { LandingId } from "../../../base/ids.ts"
import { findOperation } from "../../git/ask/operation-in-progress.ts"
import { markCommits } from "./gate-mark.ts"

type Story = {
  readonly it: LandingTest
  readonly repo: TestRepo
  readonly worktree: string
  readonly id: LandingId
  git(...args: string[]): string
}

async function land(gate: string, check: (story: Story) => Promise<void>): Promise<void> {
  using repo = new TestRepo()
  await using it = new LandingTest(repo, { gate })
  repo.commit({ "f.txt": "f\n", "g.txt": "g\n" }, "M0")
  repo.worktree("side")
  repo.commit({ "f.txt": "side\n" }, "SIDE", join(repo.folder, "worktrees/side"))
  const worktree = repo.worktree("feat")
  repo.commit({ "feat.txt": "feat\n" }, "A1", worktree)
  const id = it.submit({ branch: "feat" })
  repo.commit({ "m.txt": "m\n" }, "M1")
  const git = (...args: string[]) => repo.gitIn(worktree, ...args)
  await check({ it, repo, worktree, id, git })
}

const COMMITS = "echo edited >> g.txt; git commit -qam GATE"
/** Only the first run waits. */
const WAITS = "test -e ../go || { touch ../runs; while test ! -e ../go; do sleep 0.02; done; }"

/** Does `act` while the gate waits. */
async function duringGate(
  { it, id, worktree }: Story,
  act: () => void,
  expected: object = { state: "landed", outcome: "LANDED" },
): Promise<void> {
  const run = it.run(id)
  await waitFor("the gate to wait", () => existsSync(join(worktree, "../runs")))
  act()
  writeFileSync(join(worktree, "../go"), "")
  expect(await run).toMatchObject(expected)
}

test.each([
  ["a gate", WAITS],
  ["a gate that commits after it", `${WAITS}; ${COMMITS}`],
  ["a red gate", `${WAITS}; test -f person.txt`],
  [
    "a gate that runs on the target",
    `test -f person.txt || { test -f feat.txt || { ${WAITS}; }; false; }`,
  ],
  ["a gate that commits before it", `${COMMITS}; ${WAITS}`],
])(
  "a person's commit in the worktree during %s stays, and lands tested [3.11]",
  async (_, gate) => {
    await land(gate, async (story) => {
      const { it, repo, worktree } = story
      await duringGate(story, () => repo.commit({ "person.txt": "p\n" }, "P", worktree))
      expect(it.history()).toEqual(["commit", "M0", "M1", "A1", "P"])
      expect(it.files()).toMatchObject({ "feat.txt": "feat", "person.txt": "p", "g.txt": "g" })
    })
  },
)

test.each([
  ["a branch on it", (story: Story) => story.git("branch", "keep")],
  ["a tag on it", (story: Story) => story.git("tag", "v1")],
  ["it pushed", (story: Story) => story.git("push", "--quiet", ".", "HEAD:refs/remotes/o/feat")],
])("a person's commit during a gate lands with %s too [3.11]", async (_, does) => {
  await land(WAITS, async (story) => {
    await duringGate(story, () => {
      story.repo.commit({ "person.txt": "p\n" }, "P", story.worktree)
      does(story)
    })
    expect(story.it.history()).toEqual(["commit", "M0", "M1", "A1", "P"])
  })
})

const MERGES = ["merge", "--no-commit", "--no-ff", "side"]

test.each([
  { kind: "merge", during: "a gate", gate: WAITS, begin: MERGES },
  { kind: "bisect", during: "a gate", gate: WAITS, begin: ["bisect", "start"] },
  {
    kind: "merge",
    during: "a gate that has committed",
    gate: `${COMMITS}; ${WAITS}`,
    begin: MERGES,
  },
])(
  "a $kind that a person begins during $during stays, and the run does not count [3.14]",
  async ({ kind, gate, begin }) => {
    await land(gate, async (story) => {
      const { worktree, it, repo, id } = story
      await duringGate(story, () => story.git(...begin), { state: "handed_back" })
      const gates = it.trace(id).filter((type) => /^gate\.(started|finished)$/.test(type))
      expect(gates.slice(0, 2)).toEqual(["gate.started", "gate.finished"])
      expect(await findOperation(worktree)).toBe(kind)
      expect(it.history()).not.toContain("A1")
      expect(repo.gitIn(worktree, "status")).toMatch(kind === "merge" ? /side\b|f\.txt/ : /bisect/)
    })
  },
)

test("after a person has given up a merge that began during a gate, the gate's commit below it does not land [3.14]", async () => {
  await land(`test -e ../go || { ${COMMITS}; ${WAITS}; }`, async (story) => {
    const { it, id, git } = story
    await duringGate(story, () => git(...MERGES), { state: "handed_back" })
    git("merge", "--abort")
    it.resubmit(id)
    expect(await it.run(id)).toMatchObject({ state: "landed" })
    expect(it.history()).toEqual(["commit", "M0", "M1", "A1"])
  })
})

test("a person amends the candidate while the gate runs on a red target: the target is judged again", async () => {
  await land(`test -f feat.txt || { ${WAITS}; }; false`, async (story) => {
    const amend = () => story.git("commit", "--quiet", "--amend", "--only", "-m", "AMENDED")
    await duringGate(story, () => amend(), { state: "waiting", outcome: "TARGET_RED" })
  })
})

test("a person puts the branch back during a gate, or to a branch that goes on from it: that lands [3.11]", async () => {
  await land(WAITS, async (story) => {
    story.repo.commit({ "person.txt": "p\n" }, "P", story.worktree)
    await duringGate(story, () => story.git("reset", "--quiet", "--hard", "HEAD~1"))
    expect(story.it.history()).toEqual(["commit", "M0", "M1", "A1"])
  })
  await land(WAITS, async (story) => {
    await duringGate(story, () => {
      story.git("commit", "--quiet", "--amend", "-m", "AMENDED")
      story.git("branch", "keep")
    })
    expect(story.it.history()).toEqual(["commit", "M0", "M1", "AMENDED"])
  })
})

test("a person amends the candidate during a gate: that lands [3.11]", async () => {
  await land(WAITS, async (story) => {
    await duringGate(story, () => story.git("commit", "--quiet", "--amend", "-m", "AMENDED"))
    expect(story.it.history()).toEqual(["commit", "M0", "M1", "AMENDED"])
  })
})

test("a person's commit after a gate was cut off lands without the gate's below it [3.2]", async () => {
  await land(
    `test -e ../go || { touch ../go; ${COMMITS}; }`,
    async ({ it, id, repo, worktree }) => {
      it.onPoint = (name) => {
        if (name === "gating: gate ended") throw new Crash()
      }
      while (it.landing(id).state !== "gating") await it.step(id)
      await it.step(id)
      it.onPoint = () => {}
      repo.commit({ "person.txt": "p\n" }, "P", worktree)
      expect(await it.run(id)).toMatchObject({ state: "landed" })
      expect(it.files()).toMatchObject({ "person.txt": "p", "g.txt": "g" })
    },
  )
})

test.each([
  ["commits", COMMITS],
  ["amends", "git commit -q --amend --allow-empty -m GATE"],
  [
    "writes a commit and moves the branch to it",
    "git update-ref HEAD $(git commit-tree -p HEAD -m GATE HEAD^{tree})",
  ],
  ["commits on a branch of its own", `git checkout -q -b own; ${COMMITS}`],
  ["commits on no branch", `git checkout -q --detach; ${COMMITS}`],
  ["goes back", "git reset -q --soft HEAD~1"],
  ["merges", "git merge -q --no-edit side"],
  ["goes to another branch's commit", "git reset -q --soft side"],
  ["rebases", "git rebase -q side"],
])(
  "a gate that %s does not change what lands, and HEAD is at the branch [3.11]",
  async (_, does) => {
    await land(`${does} >/dev/null 2>&1; true`, async ({ it, id, git }) => {
      it.onPoint = (name) => {
        if (name !== "publishing: before") return
        expect(git("symbolic-ref", "HEAD")).toBe("refs/heads/feat")
        expect(git("status")).not.toMatch(/in progress|You are currently|unmerged|Changes/)
      }
      expect(await it.run(id)).toMatchObject({ state: "landed", outcome: "LANDED" })
      expect(it.history()).toEqual(["commit", "M0", "M1", "A1"])
      expect(it.files()).toMatchObject({ "f.txt": "f", "g.txt": "g" })
      expect(it.points).toContain("publishing: before")
    })
  },
)

test("a gate whose commits are not marked stops the landing after three runs, with the cure [3.13]", async () => {
  const gate = "GIT_COMMITTER_NAME=bot git commit -q --allow-empty -m GATE"
  await land(gate, async ({ it, id, git }) => {
    const landing = await it.run(id)
    expect(landing).toMatchObject({ state: "waiting", outcome: "GATE_UNAVAILABLE" })
    expect(landing.reason).toContain(`3 times; HEAD is at ${git("rev-parse", "HEAD")}`)
    expect(it.points.filter((name) => name === "gating: gate ran")).toHaveLength(3)
  })
})

test("for a gate, `git checkout -`, other repositories and the messages of reflogs are as ever", async () => {
  const gate = [
    "git checkout -q --detach && git checkout -q -",
    "git init -q ../own && cd ../own && git config user.name x && git config user.email x@x",
    "git commit -q --allow-empty -m X",
    'test "$(git log -1 --format=%cn)" = x && git reflog -1 | grep -q "commit (initial): X"',
  ].join(" && ")
  await land(gate, async ({ it, id }) => {
    expect(await it.run(id)).toMatchObject({ state: "landed" })
  })
})

test("an agent's own settings and committer for git stay, but for its name", async () => {
  using repo = new TestRepo()
  const worktree = repo.worktree("feat")
  const env = {
    PATH: process.env["PATH"] ?? "",
    GIT_AUTHOR_NAME: "bot",
    GIT_AUTHOR_EMAIL: "bot@x",
    GIT_COMMITTER_NAME: "bot",
    GIT_COMMITTER_EMAIL: "bot@x",
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "i18n.commitEncoding",
    GIT_CONFIG_VALUE_0: "latin1",
  }
  const args = ["-C", worktree, "commit", "--quiet", "--allow-empty", "-m", "X"]
  execFileSync("git", args, { env: markCommits(worktree, env) })
  const format = "--format=%an %cn %ce %e"
  expect(repo.gitIn(worktree, "log", "-1", format)).toBe("bot A gate of Coppice bot@x latin1")
})
