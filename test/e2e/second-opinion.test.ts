/** `agents.<name>.review`: another agent reads the work before it lands. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TaskDocument, TasksDocument, WhyDocument } from "../../src/api/wire/tasks.ts"
import { probeSandbox } from "../../src/features/containment/probe-sandbox.ts"
import { hidePrograms } from "../support/contained.ts"
import { Fleet, type FleetConfig } from "../support/fleet.ts"
import { shareFleet } from "../support/shared-fleet.ts"
import { waitFor } from "../support/wait-for.ts"

/** A reviewer whose n-th review runs the script `review-n`, with its prompt in `asked-n`. */
const REVIEWER = `
  n=$(($(cat "$STEPS/reviews" 2>/dev/null || echo 0) + 1)); echo "$n" > "$STEPS/reviews"
  cat > "$STEPS/asked-$n"; exec sh "$STEPS/review-$n"`

/** The worktrees of failures stay. */
const KEEPING = { keep: "on_failure", cleanup_on_failure: false }

const renewed = shareFleet()

function reviewed(
  { steps }: Fleet,
  { sh = {}, limits = {} }: FleetConfig = {},
  critic: object = {},
): FleetConfig {
  const env = { STEPS: steps }
  return {
    repo: { gate: "true" },
    sh: { review: { by: "critic" }, ...sh },
    agents: {
      critic: { runtime: "command", command: REVIEWER, env, workspace: KEEPING, ...critic },
    },
    limits,
  }
}

const reviewing = (config: FleetConfig = {}, critic: object = {}): Promise<Fleet> =>
  renewed((fleet) => reviewed(fleet, config, critic))

/** With a daemon of its own. */
function newFleet(config: FleetConfig = {}): Fleet {
  const fleet = new Fleet()
  fleet.configure(reviewed(fleet, config))
  return fleet
}

/** The task of its n-th reviewer. */
const reviewerOf = ({ reviews }: TaskDocument, n = 0) => String(reviews[n]?.by)

const script = (fleet: Fleet, name: string, text: string) =>
  writeFileSync(join(fleet.steps, name), text)
const review = (fleet: Fleet, n: number, text: string) => script(fleet, `review-${n}`, text)

/** Until its first reviewer, which hangs, is the first by its own count. */
async function untilRead(fleet: Fleet, id: string): Promise<TaskDocument> {
  await waitFor("the reviewer to read", () => existsSync(join(fleet.steps, "hangs")))
  return await fleet.until(id, ({ reviews }) => reviews[0]?.state === "reading")
}

const APPROVE = "coppice agent review approve 'Fine.'"
const HANGS = 'touch "$STEPS/hangs"; sleep 1000'

test("a reviewer reads exactly the commits of the snapshot, and its approval lands them [47.1]", async () => {
  const fleet = await reviewing()
  review(fleet, 1, `git rev-parse HEAD > "$STEPS/head"; cat work.txt > "$STEPS/read"; ${APPROVE}`)
  const main = fleet.repo.tip("main")
  const task = await fleet.json(TaskDocument, ["run", "echo w > work.txt"])
  expect(task).toMatchObject({ state: "complete", landing: { outcome: "LANDED", handbacks: 0 } })
  expect(task.reviews).toMatchObject([{ reviewer: "critic", state: "approved" }])
  const [{ commits }] = task.reviews as [TaskDocument["reviews"][number]]
  expect([commits[0]?.base, fleet.noted("read")]).toEqual([main, ["w"]])
  expect(fleet.noted("head")).toEqual([commits[0]?.head])
  const prompt = readFileSync(join(fleet.steps, "asked-1"), "utf8")
  expect(prompt).toContain(`--no-textconv ${main} ${commits[0]?.head}`)
  expect(prompt).toContain("echo w > work.txt")
  const by = reviewerOf(task)
  await fleet.until(by, ({ repos }) => repos.every(({ worktree }) => worktree === null))
  expect(fleet.leftovers()).toEqual([])
  expect((await fleet.coppice("show", task.id)).stdout).toContain(`critic (task ${by})`)
})

test("changes go back to the author's same session as a hand-back, and the result is reviewed again [47.2]", async () => {
  const fleet = await reviewing()
  fleet.step(2, 'cat > "$STEPS/told"; echo better > work.txt')
  review(fleet, 1, "echo 'The word is wrong.'; echo 'CHANGES: say better'")
  review(fleet, 2, "echo APPROVE")
  const task = await fleet.json(TaskDocument, ["run", "echo w > work.txt"])
  expect(task).toMatchObject({ state: "complete", landing: { outcome: "LANDED", handbacks: 1 } })
  expect(task.jobs.flatMap(({ sessions }) => sessions)).toHaveLength(1)
  expect(task.reviews.map(({ state }) => state)).toEqual(["changes", "approved"])
  expect(fleet.noted("told").join("\n")).toContain("say better")
  expect(readFileSync(join(fleet.steps, "asked-2"), "utf8")).toContain("say better")
  expect(fleet.repo.git("show", "main:work.txt")).toBe("better")
})

test("an author that changes nothing has a person decide [47.2]", async () => {
  const fleet = await reviewing()
  fleet.step(2, "echo 'They are wrong.'")
  review(fleet, 1, "echo 'CHANGES: say better'")
  const task = await fleet.json(TaskDocument, ["run", "echo w > work.txt"])
  expect(task).toMatchObject({ state: "in_approval", usage: { turns: 2 }, reviews: [{}] })
  expect(task.landing).toMatchObject({ state: "in_review", handbacks: 1 })
  expect(task.landing?.reason).toContain(`is not approved by critic (task ${reviewerOf(task)})`)
  expect((await fleet.json(TasksDocument, ["ls"])).tasks).toHaveLength(2)
})

test("an approval of an older head does not count [47.1]", async () => {
  const fleet = await reviewing({}, { containment: "none" })
  // The author's worktree moves on while the reviewer still reads.
  review(
    fleet,
    1,
    'cd "$(cat "$STEPS/worktree")" && echo late > late.txt && git add . && git commit -qm late && coppice agent review approve',
  )
  review(fleet, 2, 'git rev-parse HEAD > "$STEPS/head"; exit 75')
  const task = await fleet.json(TaskDocument, ["run", 'echo w > work.txt; pwd > "$STEPS/worktree"'])
  expect(task).toMatchObject({ state: "in_approval", landing: { state: "in_review" } })
  expect(task.reviews.map(({ state }) => state)).toEqual(["approved", "failed"])
  expect(fleet.noted("head")).toEqual([task.repos[0]?.head])
  expect(fleet.repo.git("ls-tree", "--name-only", "main")).not.toContain("work.txt")
})

test("a reviewer's files, commits and landings reach neither the target nor the author's branch [47.3]", async () => {
  const fleet = await reviewing()
  review(
    fleet,
    1,
    `echo evil > evil.txt; echo evil >> work.txt; git add .; git commit -qm evil
     coppice land "$COPPICE_TASK" --json > "$STEPS/land"; coppice approve 1 --json > "$STEPS/approve"
     echo more > more.txt; ${APPROVE}`,
  )
  const task = await fleet.json(TaskDocument, ["run", "echo w > work.txt"])
  expect(task.state).toBe("complete")
  expect(fleet.repo.git("show", "main:work.txt")).toBe("w")
  expect(fleet.repo.git("ls-tree", "--name-only", "main")).not.toMatch(/evil|more/)
  for (const name of ["land", "approve"])
    expect(fleet.noted(name).join("")).toContain("agent.refused")
  const by = reviewerOf(task)
  await fleet.until(by, ({ repos }) => repos.every(({ worktree }) => worktree === null))
  const refused = await fleet.coppice("land", by, "--json")
  expect(refused.stdout).toContain("task.refused")
})

const NO_SANDBOX = await probeSandbox(process.env["PATH"])

test.skipIf(NO_SANDBOX)(
  "without a containment a reviewer moves no ref, changes no file of the home or of HOME, and finds no token [47.10, 47.11]",
  async () => {
    const fleet = await reviewing()
    const { path } = fleet.repo
    const home = fleet.home.path
    const opencode = ".local/share/opencode/storage"
    for (const name of [".claude", ".ssh", ".local/bin", ".gemini/tmp", opencode])
      mkdirSync(join(home, name), { recursive: true })
    for (const name of [".gitconfig", ".claude/settings.json", ".claude/.credentials.json"])
      writeFileSync(join(home, name), "")
    const main = fleet.repo.tip("main")
    const changes = [
      "git update-ref refs/heads/main HEAD",
      "git commit --allow-empty -qm evil",
      "touch new.txt",
      "echo x >> work.txt",
      "rm work.txt",
      `touch ${path}/new.txt`,
      `touch ${path}/.git/hooks/post-commit`,
      `mkdir ${join(fleet.repo.folder, "app.worktrees/next")}`,
      `git -C ${path} config user.name evil`,
      "find $XDG_STATE_HOME/coppice -name daemon.json | grep .",
      `kill -0 ${process.pid}`,
      `echo "[filter "evil"] clean = evil" >> ${join(home, ".gitconfig")}`,
      `echo evil >> ${join(home, ".claude/settings.json")}`,
      `mv ${join(home, ".claude")} ${join(home, "moved")}`,
      `touch ${join(home, ".ssh/authorized_keys")}`,
      `touch ${join(home, ".local/bin/git")}`,
      "touch /usr/local/bin/git",
      `touch ${join(home, ".gemini/tmp/bin/rg")}`,
      `touch ${join(home, opencode, "permission/p.json")}`,
    ]
    script(fleet, "changes", `${changes.join("\n")}\n`)
    review(
      fleet,
      1,
      `while read -r change; do
         sh -c "$change" >/dev/null 2>&1 && echo "CHANGES: $change" && exit
       done < "$STEPS/changes"
       [ "$(git show HEAD:work.txt)" = w ] && touch "$HOME/.bashrc" &&
         echo new > "$HOME/.claude/.credentials.json" && touch "$HOME/.gemini/tmp/chat" && ${APPROVE}`,
    )
    const task = await fleet.json(TaskDocument, ["run", "echo w > work.txt"])
    expect(task).toMatchObject({ state: "complete", reviews: [{ state: "approved" }] })
    expect(fleet.repo.tip("main^")).toBe(main)
    expect(readFileSync(join(home, ".claude/.credentials.json"), "utf8")).toBe("new\n")
    expect(existsSync(join(home, ".bashrc")), "a file that it adds goes with it").toBe(false)
  },
)

test("where no sandbox works, an event says so, and `containment: none` accepts it [47.10]", async () => {
  await using fleet = newFleet()
  hidePrograms(fleet, ["bwrap"])
  review(fleet, 1, APPROVE)
  const task = await fleet.json(TaskDocument, ["run", "echo w > work.txt"])
  expect(task).toMatchObject({ state: "complete", reviews: [{ state: "approved" }] })
  const { data } = await fleet.event(({ type }) => type === "review.started")
  expect(data).toMatchObject({ open: "there is no program bwrap" })
})

test("a commit that the author replaced is shown to the reviewer as it is [47.3]", async () => {
  const fleet = await reviewing({ sh: { landing: { max_handbacks: 0 } } })
  review(fleet, 1, "git show HEAD:evil.txt && echo 'CHANGES: evil' || echo APPROVE")
  const work = "echo evil > evil.txt; git add .; git commit -qm w; git replace HEAD HEAD~1"
  const task = await fleet.json(TaskDocument, ["run", work])
  expect(task).toMatchObject({ state: "in_approval", reviews: [{ state: "changes" }] })
})

test("an author has no verdict on its own work [47.3]", async () => {
  const fleet = await reviewing()
  review(fleet, 1, "exit 75")
  const forged = 'coppice agent review approve --json > "$STEPS/forged"'
  const task = await fleet.json(TaskDocument, ["run", `echo w > work.txt; ${forged}; echo APPROVE`])
  expect(fleet.noted("forged").join("")).toContain("task.refused")
  expect(task).toMatchObject({ state: "in_approval", attention: true })
})

test("a person overrules reviewers that still read, and one that wants changes [47.4]", async () => {
  const fleet = await reviewing({ sh: { landing: { max_handbacks: 0 } } })
  review(fleet, 1, HANGS)
  const id = await fleet.start("echo w > work.txt")
  const read = await untilRead(fleet, id)
  expect(await fleet.client.show(id)).toMatchObject({ state: "merging", attention: false })
  const why = await fleet.json(WhyDocument, ["why", id])
  expect(why.waitingFor).toBe(`a review by critic (task ${reviewerOf(read)})`)
  await fleet.json(TaskDocument, ["approve", "-d", id])
  expect(await fleet.until(id)).toMatchObject({ state: "complete", reviews: [{}] })
  await fleet.until(reviewerOf(read), ({ state }) => state === "cancelled")

  review(fleet, 2, "echo 'CHANGES: no'")
  const other = await fleet.json(TaskDocument, ["run", "echo v > other.txt"])
  expect(other).toMatchObject({ state: "in_approval", reviews: [{ state: "changes" }] })
  const asks = await fleet.json(WhyDocument, ["why", other.id])
  expect(asks.waitingFor).toContain(
    `is not approved by critic (task ${reviewerOf(other)}), who wants changes: no`,
  )
  await fleet.json(TaskDocument, ["approve", "-d", other.id])
  expect(await fleet.until(other.id)).toMatchObject({ state: "complete" })
})

test("a person's words go to the author while a reviewer reads [47.4]", async () => {
  const fleet = await reviewing()
  fleet.step(2, 'cat > "$STEPS/told"; echo mine > work.txt')
  review(fleet, 1, HANGS)
  review(fleet, 2, APPROVE)
  const id = await fleet.start("echo w > work.txt")
  const read = await untilRead(fleet, id)
  await fleet.json(TaskDocument, ["reject", "-d", id, "Say mine."])
  expect(await fleet.until(id)).toMatchObject({ state: "complete", landing: { handbacks: 0 } })
  expect(fleet.noted("told").join("\n")).toContain("Say mine.")
  expect(await fleet.client.show(reviewerOf(read))).toMatchObject({ state: "cancelled" })
})

test("`land: approve` asks the reviewers first, and then a person [47.4]", async () => {
  const fleet = await reviewing({ sh: { landing: { mode: "approve" } } })
  review(fleet, 1, APPROVE)
  const task = await fleet.json(TaskDocument, ["run", "echo w > work.txt"])
  expect(task).toMatchObject({ state: "in_approval", reviews: [{ state: "approved" }] })
  await fleet.json(TaskDocument, ["approve", "-d", task.id])
  expect(await fleet.until(task.id)).toMatchObject({ state: "complete" })
})

test("a reviewer that fails, hangs or says nothing leaves the decision to a person, and may be restarted [47.5]", async () => {
  const fleet = await reviewing()
  review(fleet, 1, "echo no idea")
  review(fleet, 2, "exit 3")
  review(fleet, 3, "echo APPROVE")
  const task = await fleet.json(TaskDocument, ["run", "echo w > work.txt"])
  expect(task).toMatchObject({ state: "in_approval", reviews: [{ state: "failed" }] })
  expect(task.reviews[0]?.comments).toContain("no idea")
  const other = await fleet.json(TaskDocument, ["run", "echo v > other.txt"])
  expect(other).toMatchObject({ state: "in_approval", reviews: [{ state: "failed" }] })
  await fleet.json(TaskDocument, ["restart", "-d", reviewerOf(other)])
  expect(await fleet.until(other.id, ({ state }) => state === "complete")).toMatchObject({
    reviews: [{ state: "approved" }],
  })
})

test("a restarted reviewer's words of an earlier turn are no verdict [47.3, 47.5]", async () => {
  const fleet = await reviewing()
  review(fleet, 1, "coppice agent progress APPROVE; exit 3")
  review(fleet, 2, 'until [ -f "$STEPS/go" ]; do sleep 0.1; done')
  const task = await fleet.json(TaskDocument, ["run", "echo w > work.txt"])
  expect(task).toMatchObject({ state: "in_approval", reviews: [{ state: "failed" }] })
  await fleet.json(TaskDocument, ["restart", "-d", reviewerOf(task)])
  await fleet.until(task.id, ({ reviews }) => reviews[0]?.state === "reading")
  script(fleet, "go", "")
  const isOver = ({ state, reviews }: TaskDocument) =>
    state !== "merging" && reviews[0]?.state !== "reading"
  const ended = await fleet.until(task.id, isOver)
  expect(ended).toMatchObject({ state: "in_approval", reviews: [{ state: "failed" }] })
})

test("work that changes whenever it was read comes to a person [47.5]", async () => {
  const fleet = await reviewing({}, { containment: "none" })
  const edits = 'echo more >> "$(cat "$STEPS/worktree")/more.txt"; echo APPROVE'
  for (let n = 1; n <= 8; n++) review(fleet, n, edits)
  const id = await fleet.start('echo w > work.txt; pwd > "$STEPS/worktree"')
  const isThere = ({ state, reviews }: TaskDocument) => state !== "merging" && reviews.length > 0
  const task = await fleet.until(id, (one) => isThere(one) || one.reviews.length > 7)
  expect(task).toMatchObject({ state: "in_approval", landing: { state: "in_review" } })
  expect(task.landing?.reason).toContain("changes again and again while reviewers read it")
  await fleet.json(TaskDocument, ["approve", "-d", id])
  expect(await fleet.until(id)).toMatchObject({ state: "complete" })
}, 120_000)

test("a reviewer that takes longer than its session may is stopped, and a person decides [47.5]", async () => {
  const fleet = await reviewing({}, { command: "sleep 1000", session: { timeout: "1s" } })
  const task = await fleet.json(TaskDocument, ["run", "echo w > work.txt"])
  expect(task).toMatchObject({ state: "in_approval", reviews: [{ state: "failed" }] })
  expect(task.reviews[0]?.comments).toContain("session.timeout")
})

test("with a quorum, enough approvals land the work and call off the others [47.6]", async () => {
  const fleet = await reviewing()
  const env = { STEPS: fleet.steps }
  const saying = (command: string) => ({ runtime: "command", command, env })
  fleet.configure({
    repo: { gate: false },
    sh: { review: { of: ["a", "b", "c", "d"], quorum: 2 } },
    agents: {
      a: saying("echo APPROVE"),
      b: saying("echo CHANGES: no"),
      c: saying("echo APPROVE"),
      d: saying("sleep 1000"),
    },
  })
  const task = await fleet.json(TaskDocument, ["run", "echo w > work.txt"])
  expect(task.state).toBe("complete")
  const ended = await fleet.until(task.id, ({ reviews }) => reviews[3]?.state === "withdrawn")
  expect(
    ended.reviews.map(({ state }) => state).filter((state) => state === "approved"),
  ).toHaveLength(2)
  await fleet.until(String(ended.reviews[3]?.by), ({ state }) => state === "cancelled")
})

test("a verdict that comes while the author's task is paused counts when it is resumed [47.5]", async () => {
  const fleet = await reviewing()
  const env = { STEPS: fleet.steps }
  const slow = 'until [ -f "$STEPS/go" ]; do sleep 0.1; done; echo APPROVE'
  fleet.configure({
    repo: { gate: false },
    sh: { review: { of: ["a", "b"], quorum: 2 } },
    agents: {
      a: { runtime: "command", command: "exit 3" },
      b: { runtime: "command", command: slow, env },
    },
  })
  const task = await fleet.json(TaskDocument, ["run", "echo w > work.txt"])
  expect(task).toMatchObject({ state: "in_approval", landing: { state: "in_review" } })
  await fleet.json(TaskDocument, ["pause", task.id])
  script(fleet, "go", "")
  await fleet.until(String(task.reviews[1]?.by), ({ state }) => state === "complete")
  await fleet.json(TaskDocument, ["resume", "-d", task.id])
  await fleet.until(task.id, ({ reviews }) => reviews[1]?.state === "approved")
  const again = await fleet.until(task.id)
  expect(again).toMatchObject({ state: "in_approval", landing: { state: "in_review" } })
  await fleet.json(TaskDocument, ["approve", "-d", task.id])
  expect(await fleet.until(task.id)).toMatchObject({ state: "complete" })
}, 120_000)

test("one place for agents is enough, and a kill -9 between the verdict and its effect loses nothing [47.7]", async () => {
  await using fleet = newFleet({ limits: { concurrent: 1 } })
  review(fleet, 1, `${APPROVE}; touch "$STEPS/said"; sleep 1000`)
  review(fleet, 2, "true") // The repeated turn says nothing more.
  const id = await fleet.start("echo w > work.txt")
  await waitFor("the verdict", () => existsSync(join(fleet.steps, "said")), 60_000)
  expect(await fleet.client.show(id)).toMatchObject({ reviews: [{ state: "reading" }] })
  await fleet.kill()
  await fleet.coppice("up", "-d")
  expect(await fleet.until(id)).toMatchObject({
    state: "complete",
    reviews: [{ state: "approved" }],
  })
  const { tasks } = await fleet.json(TasksDocument, ["ls"])
  expect(tasks.map(({ state, reviewOf }) => [state, reviewOf])).toEqual([
    ["complete", null],
    ["complete", id],
  ])
})

test("a reviewer whose author's task is cancelled or deleted is called off [47.5]", async () => {
  const fleet = await reviewing()
  for (const n of [1, 2]) review(fleet, n, HANGS)
  const id = await fleet.start("echo w > work.txt")
  const read = await untilRead(fleet, id)
  await fleet.json(TaskDocument, ["cancel", id])
  await fleet.until(reviewerOf(read), ({ state }) => state === "cancelled")
  const other = await fleet.start("echo v > other.txt")
  const next = await fleet.until(other, ({ reviews }) => reviews[0]?.state === "reading")
  await fleet.coppice("delete", other)
  await fleet.until(reviewerOf(next), ({ state }) => state === "cancelled")
})
