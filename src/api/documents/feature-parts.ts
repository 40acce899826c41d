/** The parts of a task's documents that features add: sections, and the reasons for waits. */
import type { TaskId } from "../../base/ids.ts"
import { NO_SECTIONS_OF_FEATURES } from "../../declared/schemas.ts"
import type { Landing } from "../../kernel/landing/rows/row.ts"
import type { Db } from "../../kernel/store/open.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import type { LiveFacts } from "../../kernel/waits/busy-place.ts"
import type { WhyFacts } from "../../kernel/waits/rules/why.ts"
import type { LandingFacts } from "../../kernel/waits/rules/why-landing.ts"
import type { TaskDocument } from "../wire/tasks.ts"

/** The values in a home without the feature that has the section. */
export const NO_SECTIONS = {
  on: null,
  children: [],
  reviewOf: null,
  reviews: [],
  pullRequests: [],
  ...NO_SECTIONS_OF_FEATURES,
} satisfies Partial<TaskDocument>

export type SectionPart = Partial<Pick<TaskDocument, keyof typeof NO_SECTIONS>>

/** A feature's part of a {@link TaskDocument}; its schema says where each key stands. */
export type Section = {
  one(db: Db, task: Task): SectionPart
  /** Reads what all tasks need with a fixed number of statements, so that `ls` is quick. */
  all(db: Db): (task: Task) => SectionPart
}

/** Facts of a feature, from which the kernel makes its sentences. */
export type FactsPart = Partial<Pick<WhyFacts, "awaited" | "lower" | "attached" | "pulls">> & {
  /** Without effect on a task that has no landing. */
  readonly landing?: LandingPart | undefined
}

export type LandingPart = Partial<Pick<LandingFacts, "lower" | "isForReviewers" | "reviewers">>

/** A wait in the feature's words, as `why` shows them. */
export type FeatureWait = {
  /** Continues "It waits for". */
  readonly waitingFor: string
  /** How it ends. */
  readonly unblock: string
  readonly sinceMs: number
}

/** The part of a task that lists have too. */
export type Listed = Pick<Task, "id" | "state">

export type WhyPart = {
  /** @param landing the latest one of the task. */
  facts?(db: Db, task: Task, landing: Landing | undefined): FactsPart
  /** For lists: why the task is in its state, before the waits that the kernel knows. */
  reason?(db: Db, task: Listed): TaskDocument["reason"]
  /**
   * A sentence of its own, for `why` and for lists, where the kernel finds nothing in the way of a task that is due,
   * or that is over. Lists ask it about many tasks: it looks at the state before the rows.
   */
  wait?(db: Db, task: Listed): FeatureWait | null
}

/** The part of a feature that documents use. */
export type DocumentParts = { readonly section?: Section; readonly why?: WhyPart }

/** Rows, why tasks wait now, and the features that add to documents. */
export type DocumentRows = LiveFacts & { readonly features: readonly DocumentParts[] }

/** The first wait that a feature knows. */
export function findFeatureWait({ db, features }: DocumentRows, task: Listed): FeatureWait | null {
  for (const { why } of features) {
    const wait = why?.wait?.(db, task)
    if (wait) return wait
  }
  return null
}

/** A {@link Section} from the rows of one task and those of all tasks. */
export const sectionOf = <Rows>(
  one: (db: Db, task: TaskId) => Rows | undefined,
  all: (db: Db) => ReadonlyMap<TaskId, Rows>,
  show: (rows: Rows | undefined, task: Task) => SectionPart,
): Section => ({
  one: (db, task) => show(one(db, task.id), task),
  all: (db) => {
    const rows = all(db)
    return (task) => show(rows.get(task.id), task)
  },
})
