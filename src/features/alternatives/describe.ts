/** Describes the alternatives of a task: changes, gate, cost and time of each. */

import type { DocumentRows } from "../../api/documents/feature-parts.ts"
import { taskDocument } from "../../api/documents/task-document.ts"
import type { ConfiguredHome } from "../../api/fleet.ts"
import type { AlternativesDocument } from "../../api/wire/tasks.ts"
import type { FleetRows } from "../../kernel/home.ts"
import { findGate } from "../../kernel/landing/gate/choose-gate.ts"
import { findLandingOfTask } from "../../kernel/landing/rows/find.ts"
import type { Landing } from "../../kernel/landing/rows/row.ts"
import { diff } from "../../kernel/tasks/actions/diff.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import { sumUsage } from "../../kernel/tasks/rows/turns/usage.ts"
import { isSettled } from "../../kernel/tasks/rules.ts"
import { listAlternatives } from "./rows.ts"

type Asked = FleetRows & DocumentRows & Pick<ConfiguredHome, "repoConfig">
type Alternative = AlternativesDocument["alternatives"][number]

export async function describeAlternatives(
  fleet: Asked,
  task: Task,
): Promise<AlternativesDocument> {
  const tasks = listAlternatives(fleet.db, task.id).flatMap((id) => findTask(fleet.db, id) ?? [])
  return { alternatives: await Promise.all(tasks.map((one) => alternative(fleet, one))) }
}

async function alternative(fleet: Asked, task: Task): Promise<Alternative> {
  const { id, agent, state, createdAtMs, updatedAtMs } = task
  const landing = findLandingOfTask(fleet.db, id)
  const files = (await diff(fleet, task, { against: "base" })).repos.flatMap(({ files }) => files)
  const lines = (of: "added" | "removed") => files.reduce((sum, file) => sum + (file[of] ?? 0), 0)
  return {
    task: String(id),
    agent,
    state,
    reason: taskDocument(fleet, task).reason?.text ?? null,
    files: files.length,
    added: lines("added"),
    removed: lines("removed"),
    gate: await gateOf(fleet, landing),
    costUsd: sumUsage(fleet.db, id).costUsd,
    durationMs: (isSettled(state) ? updatedAtMs : fleet.world.nowMs()) - createdAtMs,
    canPick: state === "in_approval",
  }
}

const PASSED: readonly Landing["state"][] = ["in_review", "cleaning", "landed"]

/** An alternative is in review, or on its target, only after its gate has passed. */
async function gateOf(fleet: Asked, landing: Landing | undefined): Promise<Alternative["gate"]> {
  if (!landing) return null
  if (landing.outcome === "PRE_MERGE_FAILED") return "failed"
  if (!PASSED.includes(landing.state) || landing.outcome === "NO_CHANGES") return null
  for (const { base, ...repo } of landing.repos)
    if (base && (await findGate(fleet, repo, base))) return "passed"
  return "none"
}
