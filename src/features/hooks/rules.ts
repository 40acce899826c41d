/** Hooks: commands and web requests that follow events of an agent's tasks. Pure. */
import { fnv1a } from "../../base/text/hash.ts"
import type { StoredEvent } from "../../kernel/store/appended-rows.ts"
import type { NoticeFormat } from "./rules/notices.ts"

export type HookConfig = {
  /**
   * `before_run` comes before the first turn of a job, and follows no events. `notify`: for tasks of
   * every agent that need a person.
   */
  readonly kind: "before_run" | "after_run" | "on_error" | "notify"
  /** `facts`: the event and its task as JSON. */
  readonly format: "facts" | NoticeFormat
  /** Either this or {@link url} is set. Run by `sh -c`. */
  readonly command: string | undefined
  /** May hold a secret: never printed. */
  readonly url: string | undefined
  /** May hold secrets. */
  readonly headers: Readonly<Record<string, string>>
  /** The key of the signature. */
  readonly secret: string | undefined
  /** Patterns of event types, as of file names; undefined: the end of a run. */
  readonly events: readonly string[] | undefined
  /** A path into the facts, which must hold something there. */
  readonly when: string | undefined
  readonly timeoutMs: number
  /** Only of a `before_run` hook: the agent starts even if it fails. */
  readonly continuesOnError: boolean
}

type HookEvent = Pick<StoredEvent, "type" | "data">

/** Events after which a task may need a person. */
const NEEDING = ["task.*", "question.asked", "landing.blocked"]

/** The types of events that a hook has to look at. */
export const typesOf = ({ kind, events }: HookConfig): readonly string[] =>
  events ?? (kind === "notify" ? NEEDING : ["task.*"])

const ENDS = ["complete", "cancelled", "stuck", "merge_failed"]
/** A task in one of these states needs a person, unless it carries out its plan by itself. */
const ASKING = ["stuck", "merge_failed", "in_approval", "planning_complete"]
const FAILURES = ["stuck", "merge_failed"]
/** Reasons for a stop that are not errors. */
const NO_ERRORS = ["timed_out", "needs_decision"]

/** Whether an event of one of {@link typesOf} starts the hook. */
export function startsHook({ kind, events }: HookConfig, { type, data }: HookEvent): boolean {
  if (events) return true
  if (data["restarts"] === true) return false // Coppice has started the task again
  const to = String(data["to"])
  if (kind === "notify") return !type.startsWith("task.") || ASKING.includes(to)
  const { code } = (data["reason"] ?? {}) as { readonly code?: string }
  return kind === "after_run"
    ? ENDS.includes(to)
    : FAILURES.includes(to) && !NO_ERRORS.includes(code ?? "")
}

/** Whether the facts have a value at the path that is neither false, empty nor 0. */
export function hasFact(facts: unknown, when: string | undefined): boolean {
  const at = (value: unknown, step: string) =>
    typeof value === "object" && value !== null && Object.hasOwn(value, step)
      ? (value as Record<string, unknown>)[step]
      : undefined
  return when === undefined || Boolean(when.split(".").reduce(at, facts))
}

/**
 * Names the hooks of an agent. A hook keeps its name while its settings stay the same; no secret is
 * part of a name.
 *
 * @returns in the same order.
 */
export function nameHooks(agent: string, hooks: readonly HookConfig[]): readonly string[] {
  const seen = new Map<string, number>()
  return hooks.map(({ kind, format, command, url, events, when }) => {
    const host = url === undefined ? undefined : new URL(url).host
    const name = `${agent}/${kind}/${fnv1a(JSON.stringify({ format, command, host, events, when }))}`
    const n = (seen.get(name) ?? 0) + 1
    seen.set(name, n)
    return n === 1 ? name : `${name}-${n}`
  })
}
