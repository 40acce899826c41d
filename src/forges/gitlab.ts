/**
 * GitLab, by its REST API: its merge requests are our pull requests.
 *
 * GitLab keeps no commit with an approval. So the system notes give the verdicts, and the versions of
 * the merge request give the commit that was there before a note. @see https://docs.gitlab.com/api/merge_requests/
 */
import { z } from "zod"
import type { Oid } from "../core/ids.ts"
import type { Check, Pull, Review, ReviewComment } from "../core/pull-request.ts"
import { gitLabClient } from "../rest/gitlab.ts"
import { withoutQuickActions } from "../rest/quick-actions.ts"
import { ForgeApi, type ForgeOptions, KEPT_MAX, oid, openOrFind, refusalOf } from "./api.ts"
import { ForgeError } from "./errors.ts"
import type { Decoration, Forge, Merging, PullToOpen } from "./forge.ts"

const LOGIN_HINT =
  "`glab auth login` makes one; or set GITLAB_TOKEN, or `repos.<name>.forge.token_variable`, and start the daemon again."

const nullable = z.string().nullish()
const User = z.object({ id: z.int(), username: z.string() })
type User = z.infer<typeof User>

const PullAnswer = z.object({
  iid: z.int(),
  web_url: z.string(),
  state: z.string(),
  sha: oid,
  merge_commit_sha: oid.nullish(),
  squash_commit_sha: oid.nullish(),
  source_project_id: z.int().nullish(),
  target_project_id: z.int(),
  target_branch: z.string(),
  reviewers: z.array(User).nullish(),
})

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
const Merged = z.object({ state: z.string(), merge_error: nullable })
const Member = z.object({ access_level: z.int() })
const Project = z.object({ merge_method: z.string(), squash_option: nullable })
const Status = z.object({
  name: z.string(),
  status: z.string(),
  allow_failure: z.boolean().nullish(),
  description: nullable,
  target_url: nullable,
})

/** GitLab's own words in a note of its own. */
const VERDICTS: Readonly<Record<string, Review["verdict"]>> = {
  "approved this merge request": "approved",
  "requested changes": "changes_requested",
}
const DEVELOPER = 30
const PASSED = ["success", "skipped"]
const FAILED = ["failed", "canceled"]
/** A job that may fail does not hold up its pipeline in these states. */
const SETTLED = [...FAILED, "manual"]

const PROJECT = "/projects/{project}"
const PULLS = `${PROJECT}/merge_requests`
const PULL = `${PULLS}/{iid}`

type At = { readonly project: string; readonly iid: number }

export function gitlabForge({ project, ...options }: ForgeOptions): Forge {
  const { host } = new URL(options.api)
  const client = gitLabClient({ ...options, keptMax: KEPT_MAX })
  const api = new ForgeApi({ name: "GitLab", host, loginHint: LOGIN_HINT, client })
  const at = (iid: number): At => ({ project, iid })
  const findOpen = async ({ branch, target }: Pick<PullToOpen, "branch" | "target">) => {
    const branches = { source_branch: branch, target_branch: target }
    const found = await api.list(
      `GET ${PULLS}`,
      { project, state: "opened", ...branches },
      PullAnswer,
    )
    // A fork may have a branch of the same name.
    const own = found.find((one) => one.source_project_id === one.target_project_id)
    return own && pullOf(own)
  }
  return {
    place: `${project} on ${host}`,
    findOpen,
    open: async (asked) => {
      const { branch, target, isDraft } = asked
      const title = withoutQuickActions(asked.title)
      const opening = {
        project,
        source_branch: branch,
        target_branch: target,
        title: isDraft ? `Draft: ${title}` : title,
        description: withoutQuickActions(asked.body),
        remove_source_branch: false,
      }
      return openOrFind(
        async () => pullOf(await api.ask(`POST ${PULLS}`, opening, PullAnswer)),
        () => findOpen(asked),
      )
    },
    decorate: (number, decoration) => decorate(api, at(number), decoration),
    read: async (number) => pullOf(await api.ask(`GET ${PULL}`, at(number), PullAnswer)),
    listReviews: (number) => listReviews(api, at(number)),
    listComments: (number, review) => listComments(api, at(number), review),
    listChecks: async (commit) => {
      const statuses = `GET ${PROJECT}/repository/commits/{commit}/statuses`
      return (await api.list(statuses, { project, commit }, Status)).map(checkOf)
    },
    merge: (number, merging) => refusalOf(merge(api, at(number), merging)),
  }
}

function pullOf(found: z.infer<typeof PullAnswer>): Pull {
  const { state } = found
  const isMerged = state === "merged"
  return {
    number: found.iid,
    url: found.web_url,
    // `locked`: it is being merged.
    state: isMerged ? "merged" : state === "closed" ? "closed" : "open",
    head: found.sha,
    target: found.target_branch,
    merge: isMerged ? (found.merge_commit_sha ?? found.squash_commit_sha ?? null) : null,
  }
}

async function decorate(api: ForgeApi, at: At, { labels, reviewers }: Decoration): Promise<void> {
  if (labels.length > 0)
    await api.ask(`PUT ${PULL}`, { ...at, add_labels: labels.join(",") }, z.unknown())
  if (reviewers.length === 0) return
  // The list that is sent replaces the one that is there.
  const { reviewers: present } = await api.ask(`GET ${PULL}`, at, PullAnswer)
  const ids = new Set((present ?? []).map(({ id }) => id))
  for (const username of reviewers) ids.add(await findUser(api, username))
  await api.ask(`PUT ${PULL}`, { ...at, reviewer_ids: [...ids] }, z.unknown())
}

async function findUser(api: ForgeApi, username: string): Promise<number> {
  const [found] = await api.list("GET /users", { username }, User)
  if (found) return found.id
  throw new ForgeError("forge.refused", `there is no user ${username} to ask for a review`)
}

/** All notes that are not internal, oldest first. */
async function listNotes(api: ForgeApi, at: At): Promise<readonly Note[]> {
  const newestFirst = { ...at, sort: "desc", order_by: "created_at" }
  const notes = await api.list(`GET ${PULL}/notes`, newestFirst, Note)
  // An internal note is for the people of the project alone. A prompt goes to an agent and its provider.
  const shown = notes.filter(({ internal }) => internal !== true)
  return shown.toSorted((one, two) => one.id - two.id)
}

const verdictOf = ({ system, body }: Note) => (system ? VERDICTS[body.trim()] : undefined)

async function listReviews(api: ForgeApi, at: At): Promise<readonly Review[]> {
  const notes = await listNotes(api, at)
  const verdicts = notes.filter((note) => verdictOf(note) !== undefined)
  if (verdicts.length === 0) return []
  const { approved_by: approvals } = await api.ask(`GET ${PULL}/approvals`, at, Approvals)
  const approving = new Set(approvals.map(({ user }) => user.id))
  const versions = await api.list(`GET ${PULL}/versions`, at, Version)
  const people = new Map<number, boolean>()
  for (const { author } of verdicts)
    if (!people.has(author.id)) people.set(author.id, await isDeveloper(api, at, author))
  return verdicts.map((note) => {
    const { id, author } = note
    const verdict = verdictOf(note) ?? "none"
    const isWithdrawn = verdict === "approved" && !approving.has(author.id)
    return {
      id,
      author: author.username,
      isTrusted: people.get(author.id) ?? false,
      verdict: isWithdrawn ? "none" : verdict,
      commit: commitBefore(versions, note),
      text: verdict === "changes_requested" ? textOf(notes, note) : "",
    }
  })
}

/** The head when a note was written. A version of the same moment may be one that its author did not see. */
function commitBefore(versions: readonly z.infer<typeof Version>[], note: Note): Oid {
  const noteMs = Date.parse(note.created_at)
  const earlier = versions
    .map((version) => ({ head: version.head_commit_sha, atMs: Date.parse(version.created_at) }))
    .filter(({ atMs }) => atMs < noteMs)
    .sort((one, two) => two.atMs - one.atMs)
  return earlier[0]?.head ?? ("" as Oid)
}

async function isDeveloper(api: ForgeApi, { project }: At, { id }: User): Promise<boolean> {
  try {
    const member = await api.ask(`GET ${PROJECT}/members/all/{user}`, { project, user: id }, Member)
    return member.access_level >= DEVELOPER
  } catch (error) {
    if (error instanceof ForgeError && error.status === 404) return false
    throw error
  }
}

/** The words of the author since their previous verdict, without comments on lines. */
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
async function listComments(
  api: ForgeApi,
  at: At,
  review: number,
): Promise<readonly ReviewComment[]> {
  const notes = await listNotes(api, at)
  const author = notes.find(({ id }) => id === review)?.author.id
  return notes.flatMap((note) => {
    const { position, body: text, resolved, system } = note
    if (note.author.id !== author || system || !position || resolved === true) return []
    const { new_path: path, old_path: old, new_line: line, old_line: oldLine } = position
    return { path: path ?? old ?? "", line: line ?? oldLine ?? null, text }
  })
}

function checkOf(found: z.infer<typeof Status>): Check {
  const { name, status, allow_failure: isOptional, description, target_url: url } = found
  const isFailed = FAILED.includes(status)
  const isPassed = PASSED.includes(status) || (isOptional === true && SETTLED.includes(status))
  const state = isPassed ? "passed" : isFailed ? "failed" : "pending"
  return { name, state, text: description ?? "", url: url ?? null }
}

/** Each GitLab project has one merge method. A request can only add a squash. */
async function merge(api: ForgeApi, at: At, { method, head }: Merging): Promise<void> {
  const { project } = at
  if (method !== "squash") {
    const { merge_method: way, squash_option: squash } = await api.ask(
      `GET ${PROJECT}`,
      { project },
      Project,
    )
    if ((way === "ff") !== (method === "rebase"))
      throw new ForgeError(
        "forge.refused",
        `${project} merges by \`${way}\`, and \`auto_merge\` asks for \`${method}\``,
      )
    if (squash === "always")
      throw new ForgeError(
        "forge.refused",
        `${project} squashes always, and \`auto_merge\` asks for \`${method}\``,
      )
  }
  const asked = {
    ...at,
    sha: head,
    squash: method === "squash",
    should_remove_source_branch: false,
  }
  const { state, merge_error: why } = await api.ask(`PUT ${PULL}/merge`, asked, Merged)
  if (state !== "merged" && state !== "locked")
    throw new ForgeError("forge.refused", `${project} did not merge it: ${why || `it is ${state}`}`)
}
