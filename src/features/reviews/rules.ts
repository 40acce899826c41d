/**
 * A second opinion: agents as reviewers read commits before they land. Pure.
 *
 *   asked → reading → approved | changes | failed        withdrawn: no landing needs it
 *
 * A verdict holds for exactly the commits that were read. A person's approval replaces all of them.
 */
import type { Oid } from "../../base/ids.ts"

export type ReviewState = "asked" | "reading" | "approved" | "changes" | "failed" | "withdrawn"
export type ReviewVerdict = "approve" | "changes"

/** The reviewers of an agent's work. */
export type ReviewConfig = {
  /** Names of agents: at least one, and never the author. */
  readonly of: readonly string[]
  /** How many of them must approve. */
  readonly quorum: number
}

/** The commits that a reviewer reads in one repository: `base..head`. */
export type ReviewedCommit = { readonly name: string; readonly head: Oid; readonly base: Oid }

type Standing = { readonly reviewer: string; readonly state: ReviewState }

/**
 * Whether enough reviewers can still approve. Call it only while approvals are missing. It is false if no
 * reviewer is left to ask or to wait for, so that no landing waits for ever.
 */
export function mayApprove({ of, quorum }: ReviewConfig, reviews: readonly Standing[]): boolean {
  const states = of.map((name) => reviews.find(({ reviewer }) => reviewer === name)?.state)
  const approved = states.filter((state) => state === "approved").length
  const open = states.filter((state) => state === undefined || OPEN.includes(state)).length
  return open > 0 && approved + open >= quorum
}

/** A withdrawn reviewer is asked again. */
const OPEN: readonly ReviewState[] = ["asked", "reading", "withdrawn"]

/**
 * A line that carries a verdict, for an agent without tools: `APPROVE`, or `CHANGES: <what>`. An approval
 * with more words does not count, since it may have a condition.
 */
const VERDICT = /^\s*(?:(approve)\s*[.!]?|changes\s*(?:[:.—-]+\s*(.*))?)\s*$/i

/** The verdict in the last line of an agent's last message; undefined: it has none. */
export function verdictIn(
  message: string | null,
): { readonly verdict: ReviewVerdict; readonly comments: string } | undefined {
  const lines = (message ?? "").trimEnd().split("\n")
  const found = VERDICT.exec(lines.at(-1) ?? "")
  if (!found) return undefined
  const verdict = found[1] ? "approve" : "changes"
  const comments = [...lines.slice(0, -1), found[2] ?? ""].join("\n").trim()
  return { verdict, comments }
}
