import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { LandingTest, type LandingTestOptions } from "../../../../test/support/landing.ts"
import { type Files, TestRepo } from "../../../../test/support/repo.ts"
import { listEvents } from "../../store/events.ts"
import { type HandBackDetails, handBackPrompt } from "../prompts/hand-back.ts"
import type { Landing } from "../rows/row.ts"

type Story = LandingTestOptions & { readonly main?: Files; readonly feat: Files }

/** The target's files: `old.txt` is as the gates here want it, `legacy.txt` is not. */
const MAIN = {
  ".gitignore": "*.log\n",
  "old.txt": "GOOD\n",
  "legacy.txt": "BAD\n",
  "snap.txt": "s\n",
}
const FORMAT = "sed -i s/BAD/GOOD/"
const MEND = `test ! -f new.txt || ${FORMAT} new.txt`

async function land(
  { main, feat, ...options }: Story,
  check: (landing: Landing, it: LandingTest) => void | Promise<void>,
): Promise<void> {
  using repo = new TestRepo()
  repo.commit({ ...MAIN, ...main }, "M0")
  await using it = new LandingTest(repo, options)
  repo.commit(feat, "A1", repo.worktree("feat"))
  await check(await it.run(it.submit({ branch: "feat" })), it)
}

const promptOf = ({ details }: Landing) =>
  handBackPrompt(details as HandBackDetails, { target: "main", worktree: null })
const gateRuns = (it: LandingTest, { id }: Landing) =>
  it.trace(id).filter((type) => type === "gate.started").length

test.each<[string, string, Files, string, string]>([
  ["mends a file of the work", MEND, { "new.txt": "BAD\n" }, "new.txt", "+GOOD"],
  [
    "mends and commits it",
    `${MEND}; git commit -qam G; true`,
    { "new.txt": "BAD\n" },
    "new.txt",
    "+GOOD",
  ],
  ["removes a file of the work", "rm -f new.txt", { "new.txt": "x\n" }, "new.txt", "-x"],
  [
    "makes a file of the work executable",
    "test ! -f new.txt || chmod +x new.txt",
    { "new.txt": "1\n" },
    "new.txt",
    "new mode 100755",
  ],
  [
    "writes a file that is missing",
    "test -e snap.txt || echo again > snap.txt",
    { "snap.txt": null },
    "snap.txt",
    "+again",
  ],
  [
    "stages a new file",
    "test ! -e new.txt || { mkdir d; echo s > d/s.snap; git add d; }",
    { "new.txt": "x\n" },
    "d/s.snap",
    "+s",
  ],
])(
  "a gate that passes is red where it %s, and nothing lands [3.9, 3.12]",
  async (_, gate, feat, path, says) => {
    await land({ gate, feat }, (landing, it) => {
      expect(landing).toMatchObject({ state: "handed_back", outcome: "PRE_MERGE_FAILED" })
      expect(landing.reason).toContain(`passed on its own change of ${path}`)
      const events = listEvents(it.db, { after: 0, limit: 100 })
      const ends = events.filter(({ type }) => type === "gate.finished")
      expect(ends.map(({ data }) => data["ownChange"])).toEqual([path, undefined])
      expect(promptOf(landing)).toContain(says)
      expect(it.history()).toEqual(["commit", "M0"])
    })
  },
)

test.each<[string, string, Files]>([
  ["makes a file that git ignores", "echo x > run.log", {}],
  [
    "makes again what the work gave up to .gitignore",
    "echo x > snap.txt",
    { "snap.txt": null, ".gitignore": "snap.txt\n" },
  ],
  ["writes a file of the work as it is", "printf 'x\\n' > new.txt", {}],
  ["changes another file", `${FORMAT} legacy.txt`, {}],
])("a gate that %s is green [3.9]", async (_, gate, feat) => {
  await land({ gate, feat: { "new.txt": "x\n", ...feat } }, (landing) => {
    expect(landing).toMatchObject({ state: "landed", outcome: "LANDED" })
  })
})

test("gate_writes allows paths, by folder and by pattern, hidden ones too [3.9]", async () => {
  const gate = "mkdir -p out/.d; echo x > out/.d/a; echo x > b.snap; echo x >> new.txt"
  const feat = { "new.txt": "x\n" }
  await land({ gate, gateWrites: ["out/", "**/*.snap", "new.*"], feat }, (landing, it) => {
    expect(landing).toMatchObject({ state: "landed" })
    expect(Object.keys(it.files())).not.toContain("b.snap")
    expect(it.files()["new.txt"]).toBe("x")
  })
  await land({ gate, gateWrites: ["out/d", "*.snap", "new.txt"], feat }, ({ reason }) => {
    expect(reason).toContain("change of out/.d/a")
  })
})

test("the work is not at fault for files that the gate writes on the target too, and nothing is tested twice [3.10, 17.12]", async () => {
  const gate = `${FORMAT} legacy.txt; echo x > report.xml`
  await land({ gate, feat: { "legacy.txt": "BAD BAD\n" } }, async (landing, it) => {
    expect(landing).toMatchObject({ state: "waiting", outcome: "TARGET_RED", handbacks: 0 })
    expect(landing.reason).toContain(
      "change of legacy.txt, report.xml (.gitignore, or repos.app.gate_writes), on main itself too",
    )
    it.wake(landing.id)
    expect(await it.run(landing.id)).toMatchObject({ outcome: "TARGET_RED" })
    expect(gateRuns(it, landing)).toBe(2)
  })
})

test.each([
  ["a report with a page for each file", 'for f in *.txt; do echo x > "out/pages/$f.html"; done'],
  [
    "a cache in each folder",
    "for f in $(ls -d *.txt */*.txt); do d=$(dirname $f)/.cache; mkdir -p $d; echo x > $d/x; done",
  ],
])("the work is not at fault for %s that git does not ignore [3.10]", async (_, write) => {
  const gate = `mkdir -p out/pages; ${write}`
  const feat = { "new.txt": "x\n", "lib/a.txt": "x\n" }
  await land({ gate, feat }, (landing) => {
    expect(landing).toMatchObject({ state: "waiting", outcome: "TARGET_RED", handbacks: 0 })
    expect(landing.reason).toMatch(
      /\(\.gitignore, or repos\.app\.gate_writes\), on main itself too/,
    )
  })
})

test("the work is at fault if the gate writes a part of it on the target [3.9]", async () => {
  const gate = `${FORMAT} *.txt`
  await land({ gate, feat: { "legacy.txt": "BAD BAD\n", "old.txt": "BAD\n" } }, (landing) => {
    expect(landing).toMatchObject({ state: "handed_back", outcome: "PRE_MERGE_FAILED" })
  })
})

test("a gate in a disposable worktree is judged likewise, and the agent gets a patch [3.9, 3.10]", async () => {
  const gate = `${MEND}; test -e snap.txt || echo s > snap.txt`
  const feat = { "new.txt": "BAD\n", "snap.txt": null }
  await land({ gate, gateIn: "candidate", feat }, (landing) => {
    expect(landing).toMatchObject({ state: "handed_back", outcome: "PRE_MERGE_FAILED" })
    expect(landing.reason).toContain("change of new.txt, snap.txt")
    for (const says of ["-BAD", "+GOOD", "+s"]) expect(promptOf(landing)).toContain(says)
  })
})

test("a gate's own change is remembered, so that the same work is refused without another run [3.9]", async () => {
  const story = { gate: MEND, feat: { "new.txt": "BAD\n" }, handbacksMax: 1 }
  await land(story, async (landing, it) => {
    const runs = gateRuns(it, landing)
    it.resubmit(landing.id)
    const again = await it.run(landing.id)
    expect(again).toMatchObject({ state: "failed", reason: landing.reason })
    expect(gateRuns(it, again)).toBe(runs)
  })
})

test("a repaired file lands once its agent has committed it [3.9]", async () => {
  await land({ gate: MEND, feat: { "new.txt": "BAD\n" } }, async ({ id }, it) => {
    const worktree = join(it.repo.folder, "worktrees/feat")
    writeFileSync(join(worktree, "new.txt"), "GOOD\n")
    it.resubmit(id)
    expect(await it.run(id)).toMatchObject({ state: "landed" })
    expect(it.files()["new.txt"]).toBe("GOOD")
  })
})

test("a gate has CI=true, unless its agent's environment says otherwise", async () => {
  const feat = { "new.txt": "x\n" }
  await land({ gate: 'test "$CI" = true', feat }, ({ state }) => expect(state).toBe("landed"))
})
