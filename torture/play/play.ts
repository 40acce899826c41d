/** The random steps of a torture run. Each step has its own dice, so a seed repeats its choices. */
import { Dice } from "../dice.ts"
import { KILL_MODES, type KillMode } from "../kill/kill.ts"
import type { TortureOptions } from "../options.ts"
import type { Report } from "../report.ts"
import { AGENTS, type Scratch } from "../scratch.ts"
import { agentWork } from "./agent-work.ts"
import { FAULTS } from "./faults.ts"
import { type Fleet, isOver } from "./fleet.ts"
import { FOCUSES } from "./focus.ts"
import { pause } from "./pause.ts"
import { PERSON_ACTS } from "./person.ts"
import type { User } from "./user.ts"
import { USER_ACTIONS } from "./user-actions.ts"

export type Play = {
  readonly options: TortureOptions
  readonly scratch: Scratch
  /** One each in the first clone, in the second, and in a linked worktree of the first. */
  readonly users: readonly [first: User, lib: User, linked: User]
  readonly fleet: Fleet
  readonly report: Report
  readonly undone: Set<string>
}
type Step = Play & { readonly dice: Dice; readonly n: number }

/** The longest pause between two steps. */
const PAUSE_MS_MAX = 250
const OPEN_TASKS_MAX = 8
/** The share of tasks whose work needs an approval. */
const REVIEWED_SHARE = 0.3
/** The share of tasks that work in both repositories. */
const TWO_REPOS_SHARE = 0.35
/** How often each user acts, in the order of `Play.users`. */
const USER_WEIGHTS = [6, 3, 2] as const
/** A kill takes a second or two, since the next daemon has to start. This limit ends a stuck play. */
const SECONDS_PER_KILL_MAX = 15
// biome-ignore format: a table reads best as one
const STEPS = [["task", 6], ["user", 8], ["kill", 6], ["fault", 1], ["person", 4]] as const
const KILLING_STEPS: readonly string[] = ["kill", "fault"]

export async function play(scene: Play): Promise<void> {
  const { options, users, report } = scene
  const { seed, signal, kills, focus } = options
  const steps = STEPS.filter(
    ([name]) => !focus || FOCUSES[focus].hasKills || !KILLING_STEPS.includes(name),
  )
  const seconds = kills === undefined ? options.seconds : kills * SECONDS_PER_KILL_MAX
  const endMs = performance.now() + seconds * 1000
  const isRunning = () =>
    performance.now() < endMs && !signal.aborted && report.killed < (kills ?? Infinity)
  let waitingKill: Promise<void> | undefined
  for (let n = 1; isRunning(); n++) {
    const step = { ...scene, dice: new Dice(seed, n), n }
    const what = step.dice.pickWeighted(steps.map(([name, weight]) => [name, weight]))
    if (what === "task") await giveTask(step)
    if (what === "user") await actAsUser(step)
    if (what === "fault") await injectFault(step)
    if (what === "person") await actAsPerson(step)
    if (what === "kill") {
      const mode = step.dice.pickWeighted(KILL_MODES.map((one) => [one, one.weight]))!
      // While one kill waits for a lock, no other kill may end its daemon first.
      if (!mode.waits && !waitingKill) await kill(step, mode)
      if (mode.waits) waitingKill ??= kill(step, mode).finally(() => (waitingKill = undefined))
    }
    for (const user of users) checkBytes(step, user)
    await pause(step.dice.below(PAUSE_MS_MAX), signal)
  }
  await waitingKill
}

async function kill({ scratch, dice, options, report }: Step, mode: KillMode): Promise<void> {
  const struck = await mode.strike({ scratch, dice, signal: options.signal })
  if (struck === undefined) return
  report.count(
    "kills",
    mode.waits && struck !== "at any instant" ? `${mode.name}: ${struck}` : mode.name,
  )
}

/** @returns false if no daemon was running. */
export async function killDaemon({ options, scratch, report }: Play): Promise<boolean> {
  const [mode] = KILL_MODES
  const dice = new Dice(options.seed)
  const killed = await mode!.strike({ scratch, dice, signal: options.signal })
  if (killed) report.count("kills", mode!.name)
  return killed !== undefined
}

function checkBytes({ report, n }: Step, user: User): void {
  const { files } = user
  const changed = user.findChanged()
  const texts = changed.map(
    (path) => `${path} in ${user.place.checkout} is not what the user wrote (step ${n})`,
  )
  report.check("the user's bytes are where they were", files.length, texts)
  for (const path of changed) user.forget(path)
}

async function giveTask({ dice, fleet, report, n, options: { focus } }: Step): Promise<void> {
  const needsApproval = dice.chance(REVIEWED_SHARE)
  const repos = dice.chance(TWO_REPOS_SHARE) ? ["app", "lib"] : ["app"]
  const agent = dice.pick(Object.keys(AGENTS))!
  const prompt = agentWork(dice, n, focus && FOCUSES[focus])
  if ((await fleet.tasks()).filter((task) => !isOver(task)).length >= OPEN_TASKS_MAX) return
  const land = needsApproval ? "approve" : "merge"
  await fleet.create({ prompt, title: `play ${n}`, land, repos, agent })
  if (repos.length > 1) report.count("tasks", "created, in two repositories")
  report.count("tasks", "created")
  if (needsApproval) report.count("tasks", "created, to be approved")
}

async function actAsUser({ dice, users, report, n }: Step): Promise<void> {
  const user = dice.pickWeighted(users.map((one, at) => [one, USER_WEIGHTS[at]!]))!
  const action = dice.pickWeighted(USER_ACTIONS.map((one) => [one, one[1]]))
  if (action && (await action[2](user, dice, n))) report.count("user", action[0])
  else report.count("user", "is refused by git")
}

async function injectFault({ dice, fleet, scratch, report }: Step): Promise<void> {
  const fault = dice.pickWeighted(FAULTS.map((one) => [one, one[1]]))
  if (fault && (await fault[2]({ fleet, scratch, dice }))) report.count("faults", fault[0])
}

/** A person acts on a task: approves, answers, restarts and so on. */
async function actAsPerson({ dice, fleet, report, undone }: Step): Promise<void> {
  const act = dice.pickWeighted(PERSON_ACTS.map((one) => [one, one[1]]))
  const scene = { fleet, dice, tasks: await fleet.tasks(), undone }
  if (act && (await act[2](scene))) report.count("tasks", act[0])
}
