/**
 * The reviews of a GitLab merge request.
 *
 * GitLab keeps no commit with an approval. So the system notes give the verdicts, and the versions of
 * the merge request give the commit that was there before a note. @see https://docs.gitlab.com/api/notes/
 */
import { z } from "zod"
import type { Oid } from "../../../base/ids.ts"
import type { PullReview, PullReviewComment } from "../rules.ts"
import { type ForgeApi, oid } from "./api.ts"
import { ForgeError } from "./errors.ts"

export const PROJECT = "/projects/{project}"
export const PULL = `${PROJECT}/merge_requests/{iid}`

export type PullKey = { readonly project: string; readonly iid: number }

export const User = z.object({ id: z.int(), username: z.string() })
type User = z.infer<typeof User>

const nullable = z.string().nullish()

const Note = z.object({
  id: z.int(),
  type: nullable,
  body: z.string(),
  author: User,
  system: z.boolean(),
  internal: z.boolean().nullish(),
  resolved: z.boolean().nullish(),
  created_at: z.iso.datetime({ offset: true }),
  position: z
    .object({
      new_path: nullable,
      old_path: nullable,
      new_line: z.int().nullish(),
      old_line: z.int().nullish(),
    })
    .nullish(),
})
type Note = z.infer<typeof Note>

const Approvals = z.object({ approved_by: z.array(z.object({ user: User })) })
const Version = z.object({
  head_commit_sha: oid,
  created_at: z.iso.datetime({ offset: true }),
})
const Member = z.object({ access_level: z.int() })

/** GitLab's own text in a note that it writes. */
const VERDICTS: Readonly<Record<string, PullReview["verdict"]>> = {
  "approved this merge request": "approved",
  "requested changes": "changes_requested",
}
const DEVELOPER = 30

/** All notes that are not internal, oldest first. */
export async function listNotes(api: ForgeApi, at: PullKey): Promise<readonly Note[]> {
  const newestFirst = { ...at, sort: "desc", order_by: "created_at" }
  const notes = await api.list(`GET ${PULL}/notes`, newestFirst, Note)
  // An internal note is for the people of the project alone. A prompt goes to an agent and its provider.
  const shown = notes.filter(({ internal }) => internal !== true)
  return shown.toSorted((one, two) => one.id - two.id)
}

const verdictOf = ({ system, body }: Note) => (system ? VERDICTS[body.trim()] : undefined)

export async function listGitLabReviews(
  api: ForgeApi,
  at: PullKey,
): Promise<readonly PullReview[]> {
  const notes = await listNotes(api, at)
  const verdicts = notes.filter((note) => verdictOf(note) !== undefined)
  if (verdicts.length === 0) return []
  const { approved_by: approvals } = await api.ask(`GET ${PULL}/approvals`, at, Approvals)
  const approving = new Set(approvals.map(({ user }) => user.id))
  const versions = await api.list(`GET ${PULL}/versions`, at, Version)
  const areDevelopers = new Map<number, boolean>()
  for (const { author } of verdicts)
    if (!areDevelopers.has(author.id))
      areDevelopers.set(author.id, await isDeveloper(api, at, author))
  return verdicts.map((note) => {
    const { id, author } = note
    const verdict = verdictOf(note) ?? "none"
    const isWithdrawn = verdict === "approved" && !approving.has(author.id)
    return {
      id,
      author: author.username,
      isTrusted: areDevelopers.get(author.id) ?? false,
      verdict: isWithdrawn ? "none" : verdict,
      commit: commitBefore(versions, note),
      text: verdict === "changes_requested" ? textOf(notes, note) : "",
    }
  })
}

/** The head when a note was written. A version of the same moment may be one that its author did not see. */
function commitBefore(versions: readonly z.infer<typeof Version>[], note: Note): Oid | null {
  const noteMs = Date.parse(note.created_at)
  const earlier = versions
    .map((version) => ({ head: version.head_commit_sha, atMs: Date.parse(version.created_at) }))
    .filter(({ atMs }) => atMs < noteMs)
    .sort((one, two) => two.atMs - one.atMs)
  return earlier[0]?.head ?? null
}

async function isDeveloper(api: ForgeApi, { project }: PullKey, { id }: User): Promise<boolean> {
  try {
    const member = await api.ask(`GET ${PROJECT}/members/all/{user}`, { project, user: id }, Member)
    return member.access_level >= DEVELOPER
  } catch (error) {
    if (error instanceof ForgeError && error.status === 404) return false
    throw error
  }
}

/** The comments of the author since their previous verdict, without comments on lines. */
function textOf(notes: readonly Note[], { id, author }: Note): string {
  const own = notes.filter((note) => note.author.id === author.id)
  const before = own.findLast((note) => note.id < id && verdictOf(note) !== undefined)
  const after = own.find((note) => note.id > id && verdictOf(note) !== undefined)
  return own
    .filter((note) => !note.system && !note.position && note.resolved !== true)
    .filter((note) => note.id > (before?.id ?? 0) && note.id < (after?.id ?? Infinity))
    .map(({ body }) => body)
    .join("\n\n")
}

/** A verdict of GitLab has no comments of its own: its author's unresolved ones belong to it. */
export async function listComments(
  api: ForgeApi,
  at: PullKey,
  review: number,
): Promise<readonly PullReviewComment[]> {
  const notes = await listNotes(api, at)
  const author = notes.find(({ id }) => id === review)?.author.id
  return notes.flatMap((note) => {
    const { position, body: text, resolved, system } = note
    if (note.author.id !== author || system || !position || resolved === true) return []
    const { new_path: path, old_path: old, new_line: line, old_line: oldLine } = position
    return { path: path ?? old ?? "", line: line ?? oldLine ?? null, text }
  })
}
