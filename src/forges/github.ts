/** GitHub, and GitHub Enterprise, by their REST API. @see https://docs.github.com/rest/pulls */
import { z } from "zod"
import type { Oid } from "../core/ids.ts"
import type { Check, Pull, Review, ReviewComment } from "../core/pull-request.ts"
import { ForgeError, strangeAnswer } from "./errors.ts"
import type { Decoration, Forge, Merging, PullToOpen } from "./forge.ts"
import { GitHubApi, type GitHubApiOptions } from "./github-api.ts"

export type GitHubOptions = GitHubApiOptions & {
  /** `<owner>/<name>`. */
  readonly project: string
}

/** Nothing else may reach git as the name of a commit. */
const oid = z
  .string()
  .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
  .transform((text) => text as Oid)
const nullable = z.string().nullish()

const PullAnswer = z.object({
  number: z.int(),
  html_url: z.string(),
  state: z.string(),
  merged_at: nullable,
  merge_commit_sha: oid.nullish(),
  head: z.object({ sha: oid }),
})

const ReviewAnswer = z.object({
  id: z.int(),
  user: z.object({ login: z.string() }).nullable(),
  author_association: nullable,
  state: z.string(),
  commit_id: nullable,
  body: nullable,
})

const CommentAnswer = z.object({
  path: z.string(),
  line: z.int().nullish(),
  original_line: z.int().nullish(),
  body: z.string(),
})

const RunAnswer = z.object({
  name: z.string(),
  status: z.string(),
  conclusion: nullable,
  html_url: nullable,
  output: z.object({ title: nullable, summary: nullable }).nullish(),
})

const StatusAnswer = z.object({
  context: z.string(),
  state: z.string(),
  description: nullable,
  target_url: nullable,
})

const RunsAnswer = z.object({ check_runs: z.array(z.unknown()) })
const StatusesAnswer = z.object({ statuses: z.array(z.unknown()) })

/** @throws {ForgeError} `forge.unavailable` for the answer of something else, such as a proxy. */
function read<Answer>(schema: z.ZodType<Answer>, answer: unknown): Answer {
  const { data, success } = schema.safeParse(answer)
  if (!success) throw strangeAnswer()
  return data
}

/** The people of a project. A review by anyone else decides nothing. */
const TRUSTED = ["OWNER", "MEMBER", "COLLABORATOR"]
const VERDICTS: Readonly<Record<string, Review["verdict"]>> = {
  APPROVED: "approved",
  CHANGES_REQUESTED: "changes_requested",
}
const PASSED = ["success", "neutral", "skipped"]

export function githubForge({ project, ...options }: GitHubOptions): Forge {
  const api = new GitHubApi(options)
  const [owner = "", repo = ""] = project.split("/")
  const at = { owner, repo }
  const pull = "/repos/{owner}/{repo}/pulls/{pull_number}"
  const findOpen = async ({ branch, target }: Pick<PullToOpen, "branch" | "target">) => {
    const wanted = { ...at, state: "open", head: `${owner}:${branch}`, base: target }
    const [found] = await api.list("GET /repos/{owner}/{repo}/pulls", wanted)
    return found === undefined ? undefined : pullOf(found)
  }
  return {
    place: `${project} on ${new URL(options.api).host}`,
    findOpen,
    open: async (asked) => {
      const { branch: head, target: base, title, body, isDraft: draft } = asked
      try {
        const opening = { ...at, head, base, title, body, draft }
        return pullOf(await api.ask("POST /repos/{owner}/{repo}/pulls", opening))
      } catch (error) {
        // An earlier request may have been carried out although its answer was lost.
        const earlier =
          error instanceof ForgeError && !error.isUnavailable && (await findOpen(asked))
        if (earlier) return earlier
        throw error
      }
    },
    decorate: async (number, { labels, reviewers }: Decoration) => {
      const adding = { ...at, issue_number: number, labels }
      if (labels.length > 0)
        await api.ask("POST /repos/{owner}/{repo}/issues/{issue_number}/labels", adding)
      const asking = { ...at, pull_number: number, reviewers }
      if (reviewers.length > 0) await api.ask(`POST ${pull}/requested_reviewers`, asking)
    },
    read: async (number) => pullOf(await api.ask(`GET ${pull}`, { ...at, pull_number: number })),
    listReviews: async (number) => {
      const found = await api.list(`GET ${pull}/reviews`, { ...at, pull_number: number })
      return found.map(reviewOf)
    },
    listComments: async (number, review) => {
      const asked = { ...at, pull_number: number, review_id: review }
      return (await api.list(`GET ${pull}/reviews/{review_id}/comments`, asked)).map(commentOf)
    },
    listChecks: (commit) => listChecks(api, { ...at, ref: commit }),
    merge: (number, merging) => merge(api, { ...at, pull_number: number }, merging),
  }
}

async function merge(
  api: GitHubApi,
  at: object,
  { method, head }: Merging,
): Promise<string | undefined> {
  try {
    const asked = { ...at, merge_method: method, sha: head }
    await api.ask("PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge", asked)
    return undefined
  } catch (error) {
    if (error instanceof ForgeError && !error.isUnavailable) return error.message
    throw error
  }
}

function pullOf(answer: unknown): Pull {
  const found = read(PullAnswer, answer)
  const isMerged = typeof found.merged_at === "string"
  return {
    number: found.number,
    url: found.html_url,
    state: isMerged ? "merged" : found.state === "open" ? "open" : "closed",
    head: found.head.sha,
    // For an open one GitHub names a trial, which it throws away.
    merge: isMerged ? (found.merge_commit_sha ?? null) : null,
  }
}

function reviewOf(answer: unknown): Review {
  const found = read(ReviewAnswer, answer)
  return {
    id: found.id,
    author: found.user?.login ?? "ghost",
    isTrusted: TRUSTED.includes(found.author_association ?? ""),
    verdict: verdictOf(found.state),
    commit: (found.commit_id ?? "") as Oid,
    text: found.body ?? "",
  }
}

const verdictOf = (state: string): Review["verdict"] => VERDICTS[state] ?? "none"

function commentOf(answer: unknown): ReviewComment {
  const { path, line, original_line: original, body } = read(CommentAnswer, answer)
  return { path, line: line ?? original ?? null, text: body }
}

/** Check runs, and the statuses that older tools set. */
async function listChecks(api: GitHubApi, at: object): Promise<readonly Check[]> {
  const runs = await api.list(
    "GET /repos/{owner}/{repo}/commits/{ref}/check-runs",
    { ...at },
    (data) => read(RunsAnswer, data).check_runs,
  )
  const statuses = await api.list(
    "GET /repos/{owner}/{repo}/commits/{ref}/status",
    { ...at },
    (data) => read(StatusesAnswer, data).statuses,
  )
  return [...runs.map(checkOfRun), ...statuses.map(checkOfStatus)]
}

function checkOfRun(answer: unknown): Check {
  const { name, status, conclusion, html_url: url, output } = read(RunAnswer, answer)
  const passed = PASSED.includes(conclusion ?? "") ? "passed" : "failed"
  const text = [output?.title, output?.summary].filter(Boolean).join("\n")
  return { name, state: status === "completed" ? passed : "pending", text, url: url ?? null }
}

function checkOfStatus(answer: unknown): Check {
  const { context: name, state, description, target_url: url } = read(StatusAnswer, answer)
  const states = { success: "passed", pending: "pending" } as const
  const known: Readonly<Record<string, Check["state"]>> = states
  return { name, state: known[state] ?? "failed", text: description ?? "", url: url ?? null }
}
