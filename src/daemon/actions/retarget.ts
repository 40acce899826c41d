/** Gives a task another target, before it lands. */
import { possibleActions } from "../../core/transitions.ts"
import { findLandingOfTask } from "../../store/landings/find.ts"
import { transaction } from "../../store/sql.ts"
import { recordTarget } from "../../store/task-repos/work.ts"
import type { Task } from "../../store/tasks/row.ts"
import { DaemonError } from "../errors.ts"
import type { Fleet } from "../fleet.ts"
import type { FleetRows } from "../home.ts"
import { findTarget } from "../repositories/target.ts"

/**
 * Another target for a task whose landing failed, waits, or has not begun: after a rename of the
 * branch, for example.
 */
export async function retarget(
  fleet: FleetRows & Pick<Fleet, "home" | "repoConfig">,
  task: Task,
  target: string | undefined,
): Promise<void> {
  if (target === undefined || task.repos.every((repo) => repo.target === target)) return
  const { db } = fleet
  const landing = findLandingOfTask(db, task.id)
  const isOpen = landing === undefined || ["failed", "waiting"].includes(landing.state)
  const isMoved = landing?.repos.some(({ published }) => published)
  if (!isOpen || isMoved || !possibleToLand(task))
    throw new DaemonError(
      "task.refused",
      `Task ${task.id} is ${task.state}: its target cannot be changed now.`,
      ["Its target can be changed when its landing has failed, or waits."],
    )
  for (const repo of task.repos) await findTarget(fleet.home, fleet.repoConfig(repo), target)
  transaction(db, () => recordTarget(db, task.id, target))
}

const possibleToLand = (task: Task): boolean =>
  task.state === "merging" || possibleActions(task).includes("land")
