import { expect, test } from "vitest"
import {
  addSampleSession,
  addSampleTask,
  forceState,
  putInReview,
} from "../../../../test/support/store.ts"
import type { Fleet } from "../../../api/fleet.ts"
import { undo } from "../../../features/undo/undo.ts"
import type { FleetRows } from "../../home.ts"
import { addLanding } from "../../landing/rows/add.ts"
import { findLandingOfTask } from "../../landing/rows/find.ts"
import type { LandingState } from "../../landing/rules.ts"
import { type Db, openDb } from "../../store/open.ts"
import { planId } from "../plan-id.ts"
import type { Attachments } from "../rows/attached.ts"
import { findTask } from "../rows/find.ts"
import { askQuestion } from "../rows/questions/ask.ts"
import type { Task } from "../rows/row.ts"
import type { Action } from "../rules/action.ts"
import { possibleActions } from "../rules/transitions.ts"
import { ACTIVE_STATES, TASK, type TaskState } from "../rules.ts"
import { approve } from "./approve.ts"
import { cancel } from "./cancel.ts"
import { pause, remove } from "./halt-landing.ts"
import { land } from "./land.ts"
import { reject } from "./reject.ts"
import { restart } from "./restart.ts"
import { resume } from "./resume.ts"
import { say } from "./say.ts"

const ACTIONS: Record<
  Action,
  (fleet: FleetRows & Attachments, task: Task) => void | Promise<void>
> = {
  approve: (fleet, task) =>
    approve(fleet, task, task.state === "planning_complete" ? { plan: planId("") } : {}),
  reject,
  say: (fleet, task) => say(fleet, task, { text: "Mind the gap." }),
  land,
  pause,
  resume: (fleet, task) => resume(fleet, task, task.state === "complete" ? { text: "More." } : {}),
  restart,
  cancel,
  delete: remove,
}
const everywhere = (Object.keys(TASK) as TaskState[]).flatMap((state) =>
  (Object.keys(ACTIONS) as Action[]).map((action) => ({ state, action })),
)

const fleetWith = (db: Db): FleetRows & Attachments => ({
  db,
  findAttached: () => undefined,
  world: { nowMs: () => 5, dice: () => 0, point: () => {} },
})

/** If a task is already running, or already stopped, asking again changes nothing. */
const isAlready = (action: Action, state: TaskState) =>
  (action === "pause" && state === "paused") ||
  (action === "resume" && (ACTIVE_STATES as readonly TaskState[]).includes(state))

/**
 * These actions do not move a task: its agent gets the message when the turn ends, or its loop
 * removes the task.
 */
const stays = (action: Action, state: TaskState) =>
  action === "delete" || (action === "say" && state !== "in_approval")

test.each(everywhere)(
  "$action of a task that is $state does what the table says [15.1]",
  async (one) => {
    const db = openDb(":memory:")
    const { id } = addSampleTask(db)
    const returnsTo = one.state === "paused" ? "working" : null
    forceState(db, id, one.state, returnsTo)
    const task = findTask(db, id)
    if (!task) throw new Error("a task that was added is there")
    if (one.state === "in_approval") putInReview(db, task)
    else if (one.state !== "registered") addSampleSession(db, id)
    const act = async () => await ACTIONS[one.action](fleetWith(db), task)

    const isPossible = possibleActions(task).includes(one.action)
    if (isPossible || isAlready(one.action, one.state)) await act()
    else await expect(act()).rejects.toMatchObject({ code: "task.refused", blame: "user" })
    const moved = findTask(db, id)?.state !== one.state
    expect(moved).toBe(isPossible && !stays(one.action, one.state))
  },
)

/** The states of a landing under way, of a task that waits for it. */
const UNDER_WAY: readonly LandingState[] = [
  ...["snapshotting", "in_review", "queued", "gating", "publishing", "shipping", "proposed"],
  ...["cleaning", "waiting", "handed_back"],
] as LandingState[]
/** In review nothing is on its way to a target. */
const canBe = (state: string, landing: LandingState) =>
  state !== "in_approval" || (landing !== "publishing" && landing !== "cleaning")
const LANDING_TASKS = ["merging", "shipping", "reviews_in_progress", "pr_ready", "in_approval"]
const whileLanding = LANDING_TASKS.flatMap((state) =>
  UNDER_WAY.filter((landing) => canBe(state, landing)).map((landing) => ({
    state: state as TaskState,
    landing,
  })),
)

test.each(whileLanding)(
  "each action on a task that is $state, with a landing that is $landing, is accepted as the table says [12.24]",
  async ({ state, landing }) => {
    for (const action of Object.keys(ACTIONS) as Action[]) {
      const db = openDb(":memory:")
      const { id } = addSampleTask(db)
      forceState(db, id, state)
      putInReview(db, findTask(db, id)!)
      db.exec(`update landings set state = '${landing}'`)
      const task = findTask(db, id)!
      expect(task.landingState).toBe(landing)
      const refusal = await Promise.resolve()
        .then(() => ACTIONS[action](fleetWith(db), task))
        .then(
          () => null,
          (error: Error) => error,
        )
      if (refusal) expect(refusal).toMatchObject({ code: "task.refused", blame: "user" })
      if (isAlready(action, state)) continue
      expect(refusal === null, `${action}: ${refusal?.message}`).toBe(
        possibleActions(task).includes(action),
      )
    }
  },
)

test.each([
  ["complete", "merge", /coppice undo 1/],
  ["complete", "none", /coppice land 1/],
  ["cancelled", "merge", /coppice recover/],
] as const)(
  "the refusal to cancel a task that is %s (%s) says what to do instead",
  async (state, land, hint) => {
    const db = openDb(":memory:")
    const { id } = addSampleTask(db, { land })
    db.exec("update task_repos set worktree = '/work'")
    forceState(db, id, state)
    await expect(cancel(fleetWith(db), findTask(db, id)!)).rejects.toThrow(
      expect.objectContaining({
        hints: [expect.stringMatching(hint), expect.stringContaining("delete")],
      }),
    )
  },
)

test("land does not touch the work of an agent that is working", () => {
  const db = openDb(":memory:")
  const { id } = addSampleTask(db)
  forceState(db, id, "working")
  const task = findTask(db, id)
  expect(() => land(fleetWith(db), task as Task)).toThrow(/cannot be landed/)
  expect(findLandingOfTask(db, id)).toBeUndefined()
})

test("land wakes a landing that waits", () => {
  const db = openDb(":memory:")
  const { id } = addSampleTask(db)
  forceState(db, id, "merging")
  addLanding(db, { task: id, repos: [] }, 1)
  db.exec("update landings set state = 'waiting'")
  land(fleetWith(db), findTask(db, id) as Task)
  expect(findLandingOfTask(db, id)?.state).toBe("snapshotting")
})

test.each([
  ["waiting", [expect.stringContaining("coppice cancel 1")]],
  ["cancelled", []],
])("undo of a landing that is %s offers to cancel it only if that is possible", (state, hints) => {
  const db = openDb(":memory:")
  const { id } = addSampleTask(db)
  addLanding(db, { task: id, repos: [] }, 1)
  db.exec(`update landings set state = '${state}'`)
  return expect(undo({ db } as Fleet, String(id))).rejects.toMatchObject({
    code: "landing.refused",
    hints,
  })
})

test("work that a pull request of another task starts from is not deleted before that is decided [42.21]", () => {
  const db = openDb(":memory:")
  const lower = addSampleTask(db, { land: "pr" })
  const upper = addSampleTask(db, { land: "pr", on: lower.id })
  for (const state of ["working", "reviews_in_progress", "cancelled"] as const) {
    forceState(db, lower.id, state)
    expect(() => remove(fleetWith(db), findTask(db, lower.id)!)).toThrow(
      `work that another task starts from: ${upper.id}.`,
    )
  }
  forceState(db, upper.id, "cancelled")
  remove(fleetWith(db), findTask(db, lower.id)!)
  expect(findTask(db, lower.id)?.deletion).toBe("remove")
})

test("a refusal names `answer` while a question is open [12.28]", () => {
  const db = openDb(":memory:")
  const { id } = addSampleTask(db)
  forceState(db, id, "working")
  const hints = () => {
    try {
      land(fleetWith(db), findTask(db, id)!)
    } catch (error) {
      return (error as { hints: readonly string[] }).hints.join(" ")
    }
    throw new Error("a working task is not landed by a person")
  }
  expect(hints()).not.toContain("coppice answer")
  const question = { task: id, turn: 1, text: "Which?", choices: [], subject: null } as const
  const first = askQuestion(db, { ...question, kind: "question" }, 1)
  expect(hints()).toContain(`coppice answer ${id} "<answer>"`)
  askQuestion(db, { ...question, kind: "question", text: "And when?" }, 1)
  expect(hints()).toContain(`--question ${first.id} "<answer>"`)
})
