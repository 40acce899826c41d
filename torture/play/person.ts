/**
 * A person's actions on tasks, apart from the user at work in the checkout: everything that the
 * fleet offers.
 */
import type { TaskDocument } from "../../src/api/wire/tasks.ts"
import type { Dice } from "../dice.ts"
import { type Fleet, isOver } from "./fleet.ts"

export type PersonScene = {
  readonly fleet: Fleet
  readonly dice: Dice
  readonly tasks: readonly TaskDocument[]
  /** Landings that were taken back already: doing that twice brings the work again. */
  readonly undone: Set<string>
}
/** @returns whether it was done; the fleet, or the current state, may refuse. */
type Act = (scene: PersonScene) => Promise<boolean>

const ONLY = /^play \d+$/

const one = ({ dice, tasks }: PersonScene, isMeant: (task: TaskDocument) => boolean) =>
  dice.pick(tasks.filter(isMeant))

const act =
  (
    action: "cancel" | "pause" | "resume" | "land" | "restart",
    isMeant: (task: TaskDocument) => boolean,
  ): Act =>
  async (scene) => {
    const task = one(scene, isMeant)
    return task !== undefined && (await scene.fleet.act(task.id, action))
  }

const is =
  (...states: readonly string[]) =>
  ({ state }: TaskDocument) =>
    states.includes(state)

const approve: Act = async (scene) => {
  const task = one(scene, is("in_approval"))
  return task !== undefined && (await scene.fleet.approve(task.id))
}

const reject: Act = async (scene) => {
  const task = one(scene, is("in_approval"))
  return task !== undefined && (await scene.fleet.reject(task.id, "Once more, please."))
}

const remove: Act = async (scene) => {
  const task = one(scene, () => true)
  return task !== undefined && (await scene.fleet.delete(task.id))
}

const undo: Act = async (scene) => {
  const { fleet, undone } = scene
  const isLanded = ({ state, title, landing }: TaskDocument) =>
    state === "complete" && ONLY.test(title) && landing !== null && !undone.has(landing.id)
  const landing = one(scene, isLanded)?.landing
  if (!landing || !(await fleet.undo(`landing:${landing.id}`))) return false
  undone.add(landing.id)
  return true
}

// biome-ignore format: a table reads best as one
export const PERSON_ACTS: readonly (readonly [name: string, weight: number, act: Act])[] = [
  ["cancel was asked",  2,   act("cancel", (task) => !isOver(task))],
  ["pause was asked",   2,   act("pause", (task) => !isOver(task))],
  ["resume was asked",  4,   act("resume", is("paused"))],
  ["restart was asked", 2,   act("restart", is("stuck", "merge_failed"))],
  ["land was asked",    2,   act("land", is("merging", "merge_failed", "in_approval"))],
  ["approve was asked", 3,   approve],
  ["reject was asked",  1.5, reject],
  ["delete was asked",  1,   remove],
  ["undo was asked",    1.5, undo],
  ["gc was asked",      0.7, ({ fleet }) => fleet.gc()],
]
