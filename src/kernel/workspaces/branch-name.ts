/** The branch that a task works on: a pattern, filled in and turned into a valid ref name. Pure. */
import { createHash } from "node:crypto"
import { taskName } from "./slug.ts"

export type BranchFacts = {
  readonly task: number
  readonly title: string
  readonly workItem: string | null
  readonly agent: string
  readonly job: number
  /** For `{scheduleName}`; undefined: no schedule made the task. */
  readonly schedule?: string | undefined
  /** Ms since the epoch; `{date}` is its day in UTC. */
  readonly nowMs: number
}

/** A ref is a file: its name plus `.lock` must fit into one folder entry (255 bytes). */
const COMPONENT_BYTES_MAX = 120
const COMPONENTS_MAX = 8
const HASH_DIGITS = 6

/**
 * The branch name for `pattern`, e.g. `agent/coder/gh-17`.
 *
 * Placeholders: {agent} {workItem} {jobId} {date} {scheduleName}. Without a work item, the schedule and
 * the day stand in, or the task's id and title; without a schedule, `manual`. Characters that git forbids are replaced; an
 * empty component is dropped, so that a name never ends in a slash.
 *
 * @see https://git-scm.com/docs/git-check-ref-format
 */
export function branchName(pattern: string, facts: BranchFacts): string {
  const date = new Date(facts.nowMs).toISOString().slice(0, 10)
  const values: Record<string, string> = {
    agent: plain(facts.agent),
    workItem: facts.workItem
      ? distinct(facts.workItem)
      : nameWithoutItem(pattern, { ...facts, date }),
    jobId: String(facts.job),
    scheduleName: plain(facts.schedule ?? "") || "manual",
    date,
  }
  const filled = pattern.replace(/\{(\w+)\}/g, (placeholder, name) => values[name] ?? placeholder)
  const components = filled.split("/").map(component).filter(Boolean).slice(0, COMPONENTS_MAX)
  const name = components.join("/")
  return name === "" || name === "HEAD" ? `task-${facts.task}` : name
}

type Dated = BranchFacts & { readonly date: string }

function nameWithoutItem(pattern: string, { schedule, task, title, date }: Dated): string {
  const name = plain(schedule ?? "")
  if (name === "") return taskName(task, title)
  return pattern.includes("{scheduleName}") ? date : `${name}/${date}`
}

/** A value stays within its component of the pattern. */
const plain = (value: string) => component(value.replaceAll("/", "-"))

/** Like `plain`, but different values stay different. */
function distinct(value: string): string {
  const name = plain(value)
  return name === value ? name : [name, hashOf(value)].filter(Boolean).join("-")
}

const hashOf = (text: string) =>
  createHash("sha256").update(text).digest("hex").slice(0, HASH_DIGITS)

/** `text` as one component of a ref name; empty if none of its characters are allowed. */
function component(text: string): string {
  const allowed = text
    .toWellFormed()
    .replace(/[\u0000-\u0020\u007f~^:?*[\\\ufffd]+|@\{/g, "-")
    .replace(/\.{2,}/g, ".")
    .replace(/-{2,}/g, "-")
  const trimmed = trim(shorten(allowed))
  return trimmed === "@" ? "" : trimmed
}

const trim = (text: string) => text.replace(/^[-.]+/, "").replace(/(\.lock|[-.])+$/i, "")

/** Cuts a long text, and appends a hash to keep it apart from others with the same beginning. */
function shorten(text: string): string {
  if (Buffer.byteLength(text) <= COMPONENT_BYTES_MAX) return text
  const start = firstBytes(text, COMPONENT_BYTES_MAX - HASH_DIGITS - 1)
  return `${trim(start)}-${hashOf(text)}`
}

/** The beginning of `text` that fits, cut between characters. */
function firstBytes(text: string, bytesMax: number): string {
  let bytes = 0
  let end = 0
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > bytesMax) break
    end += character.length
  }
  return text.slice(0, end)
}
