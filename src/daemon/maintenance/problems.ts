/** Lists what only a person can decide after a clean-up. */
import type { GcDocument } from "../../core/wire/gc.ts"
import { listLatestLandings } from "../../store/landings/list-latest.ts"
import type { Db } from "../../store/open.ts"
import type { Unreadable } from "../../store/readable.ts"
import { listTaskLines } from "../../store/tasks/list-lines.ts"
import type { Plan } from "./plan.ts"

/** `status` and `doctor` show this many; `gc --dry-run` shows all. */
const PROBLEMS_MAX = 20

export function findProblems(db: Db, plan: Plan, { repos, notices }: GcDocument): string[] {
  const unreadable: string[] = []
  const tell = ({ task, error }: Unreadable) =>
    void unreadable.push(`Task ${task} cannot be read: ${error}.`)
  listTaskLines(db, tell)
  listLatestLandings(db, tell)
  const left = plan.repos
    .flatMap(({ items }) => items)
    .filter(({ isLeft }) => isLeft)
    .map(({ name, why }) => `${name} is kept: ${why}.`)
  const failed = repos
    .flatMap(({ items }) => items)
    .filter(({ action, outcome }) => action === "remove" && outcome === "kept")
    .map(({ name, note }) => `${name} could not be removed: ${note}.`)
  return [...unreadable, ...notices, ...failed, ...left].slice(0, PROBLEMS_MAX)
}
