/**
 * Tortures a clone of a repository, and checks that every promise held.
 *
 * Agents, gate and user are played by scripts (play/, programs.ts); Coppice is the real program:
 * daemons that are started through the client and killed at any moment. The dice have a seed, so
 * what is played can be played again; what the machine does meanwhile cannot. Then all is let come
 * to rest, and the repository, and the notes that were kept outside of it, are asked (check/).
 *
 * Not done here: full disks and deaths at chosen points, which test/fault does.
 */
import { randomBytes } from "node:crypto"
import { rmSync } from "node:fs"
import { join } from "node:path"
import type { TortureDocument } from "../src/core/wire/documents.ts"
import { ProcessOwner } from "../src/process/owner.ts"
import { checkNothingLeft } from "./check/nothing-left.ts"
import { checkNothingLost } from "./check/nothing-lost.ts"
import { checkTarget } from "./check/target.ts"
import { Dice } from "./dice.ts"
import { agentWork } from "./play/agent-work.ts"
import { FAULTS } from "./play/faults.ts"
import { Fleet, isOver } from "./play/fleet.ts"
import { pause } from "./play/pause.ts"
import { PERSON_ACTS } from "./play/person.ts"
import { settle } from "./play/settle.ts"
import { User } from "./play/user.ts"
import { USER_ACTIONS } from "./play/user-actions.ts"
import { Report } from "./report.ts"
import { makeScratch, type Scratch } from "./scratch.ts"
import { quote } from "./shell.ts"

export type TortureOptions = {
  /** Real path of the original, which is only cloned. */
  readonly repo: string
  readonly seed: number
  /** How long it is played; coming to rest takes longer. */
  readonly seconds: number
  /** Ends it early: every process of it is ended, and the clone removed. */
  readonly signal: AbortSignal
  /** Told how it goes, a line at a time. */
  tell(line: string): void
}

type Play = {
  readonly dice: Dice
  readonly scratch: Scratch
  /** In the clone, and in the second one. */
  readonly users: readonly [User, User]
  readonly fleet: Fleet
  readonly report: Report
  readonly undone: Set<string>
}

/** Between two things that happen. */
const PAUSE_MS_MAX = 250
const OPEN_TASKS_MAX = 8
/** Of the tasks, those whose work a person has to approve. */
const REVIEWED_SHARE = 0.3
/** Of the tasks, those that work in both repositories. */
const TWOFOLD_SHARE = 0.35
/** Of what users do, that in the second one. */
const SECOND_SHARE = 0.3
// biome-ignore format: a table reads best as one
const HAPPENS = [["task", 6], ["user", 10], ["fault", 2], ["person", 4]] as const

export async function torture(options: TortureOptions): Promise<TortureDocument> {
  const { repo, seed, seconds, signal, tell } = options
  await using owner = new ProcessOwner({ mark: randomBytes(8).toString("hex") })
  const scratch = await makeScratch(owner, repo)
  const report = new Report()
  const fleet = new Fleet(scratch)
  const notes = join(scratch.notes, "lib")
  const second = new User({ ...scratch, repo: scratch.lib, notes }, owner)
  const users = [new User(scratch, owner), second] as const
  tell(`${scratch.folder}: seed ${seed}`)
  try {
    await play({ dice: new Dice(seed), scratch, users, fleet, report, undone: new Set() }, options)
    if (!signal.aborted) {
      tell("letting everything come to rest")
      const created = report.tasks["created"] ?? 0
      report.check("every task settles", created, await settle(users, fleet, signal))
    }
    const tasks = await fleet.tasks()
    for (const { state } of tasks) report.count("tasks", state)
    for (const at of signal.aborted ? [] : users) {
      await checkNothingLost(at, report)
      await checkTarget(at, tasks, report)
    }
  } catch (error) {
    report.check("nothing fails unexpectedly", 1, [String((error as Error).stack ?? error)])
  } finally {
    await fleet.down()
  }
  for (const at of signal.aborted ? [] : users) await checkNothingLeft(at, report)
  const isHeld = report.violations.length === 0
  if (isHeld) rmSync(scratch.folder, { recursive: true, force: true, maxRetries: 3 })
  const minutes = Math.max(0.05, seconds / 60)
  return {
    ...{ repo, seed, seconds, interrupted: signal.aborted },
    ...{ tasks: report.tasks, user: report.user, faults: report.faults, checked: report.checked },
    violations: report.violations,
    repeat: `coppice torture --repo ${quote(repo)} --seed ${seed} --minutes ${minutes}`,
    folder: isHeld ? null : scratch.folder,
  }
}

async function play(play: Play, { seconds, signal }: TortureOptions): Promise<void> {
  const { dice, users } = play
  const endMs = performance.now() + seconds * 1000
  for (let n = 1; performance.now() < endMs && !signal.aborted; n++) {
    const what = dice.pickWeighted(HAPPENS.map(([name, weight]) => [name, weight]))
    if (what === "task") await giveTask(play, n)
    if (what === "user") await actAsUser(play, n)
    if (what === "fault") await strike(play)
    if (what === "person") await decide(play)
    for (const user of users) checkBytes(play, user, n)
    await pause(dice.below(PAUSE_MS_MAX), signal)
  }
}

function checkBytes({ report }: Play, user: User, n: number): void {
  const { files } = user
  const changed = user.findChanged()
  const texts = changed.map((path) => `${path} is not as the user wrote it (step ${n})`)
  report.check("the user's bytes are where they were", files.length, texts)
  for (const path of changed) user.forget(path)
}

async function giveTask({ dice, fleet, report }: Play, n: number): Promise<void> {
  const prompt = agentWork(dice, n)
  if ((await fleet.tasks()).filter((task) => !isOver(task)).length >= OPEN_TASKS_MAX) return
  const isReviewed = dice.chance(REVIEWED_SHARE)
  const repos = dice.chance(TWOFOLD_SHARE) ? ["app", "lib"] : ["app"]
  const land = isReviewed ? "approve" : "merge"
  await fleet.create({ prompt, title: `play ${n}`, land, repos })
  if (repos.length > 1) report.count("tasks", "created, in two repositories")
  report.count("tasks", "created")
  if (isReviewed) report.count("tasks", "created, to be approved")
}

async function actAsUser({ dice, users: [first, second], report }: Play, n: number): Promise<void> {
  const user = dice.chance(SECOND_SHARE) ? second : first
  const action = dice.pickWeighted(USER_ACTIONS.map((one) => [one, one[1]]))
  if (action && (await action[2](user, dice, n))) report.count("user", action[0])
  else report.count("user", "is refused something by git")
}

async function strike({ dice, fleet, scratch, report }: Play): Promise<void> {
  const fault = dice.pickWeighted(FAULTS.map((one) => [one, one[1]]))
  if (fault && (await fault[2]({ fleet, scratch, dice }))) report.count("faults", fault[0])
}

/** A person looks after the tasks. */
async function decide({ dice, fleet, report, undone }: Play): Promise<void> {
  const act = dice.pickWeighted(PERSON_ACTS.map((one) => [one, one[1]]))
  const scene = { fleet, dice, tasks: await fleet.tasks(), undone }
  if (act && (await act[2](scene))) report.count("tasks", act[0])
}
