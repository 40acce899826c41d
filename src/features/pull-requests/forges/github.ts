/** GitHub, and GitHub Enterprise, by their REST API. @see https://docs.github.com/rest/pulls */
import { z } from "zod"
import type { Oid, RefName } from "../../../base/ids.ts"
import { gitHubClient } from "../../rest/github.ts"
import type { Check, Pull, PullReview, PullReviewComment } from "../rules.ts"
import { ForgeApi, type ForgeOptions, KEPT_MAX, oid, openOrFind, refusalOf } from "./api.ts"
import type { Decoration, Forge, PullToOpen } from "./forge.ts"
import { githubQueue } from "./github-queue.ts"

const LOGIN_HINT =
  "`gh auth login` makes one; or set GH_TOKEN, or `repos.<name>.forge.token_variable`, and start the daemon again."

const nullable = z.string().nullish()

/** Without a repository, the fork is gone. */
const Branch = z.object({ ref: z.string(), repo: z.object({ id: z.int() }).nullish() })

const PullAnswer = z.object({
  number: z.int(),
  html_url: z.string(),
  state: z.string(),
  merged_at: nullable,
  merge_commit_sha: oid.nullish(),
  head: Branch.extend({ sha: oid }),
  base: Branch,
  mergeable_state: nullable,
  requested_reviewers: z.array(z.unknown()).nullish(),
  requested_teams: z.array(z.unknown()).nullish(),
})

const PullReviewAnswer = z.object({
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

/** The list in an answer that has more than that; undefined: it has none. */
const listIn = (key: string) => (data: unknown) =>
  (data as Readonly<Record<string, unknown>> | null)?.[key]

/** The people of a project. A review by anyone else decides nothing. */
const TRUSTED = ["OWNER", "MEMBER", "COLLABORATOR"]
const VERDICTS: Readonly<Record<string, PullReview["verdict"]>> = {
  APPROVED: "approved",
  CHANGES_REQUESTED: "changes_requested",
}
const PASSED = ["success", "neutral", "skipped"]
/** A rule of the target is not met, or GitHub does not know yet. An administrator's merge passes by such a rule. */
const HELD: readonly unknown[] = ["blocked", "unknown"]

export function githubForge({ project, ...options }: ForgeOptions): Forge {
  const { host } = new URL(options.api)
  const client = gitHubClient({ ...options, keptMax: KEPT_MAX })
  const api = new ForgeApi({ name: "GitHub", host, loginHint: LOGIN_HINT, client })
  const [owner = "", repo = ""] = project.split("/")
  const at = { owner, repo }
  const pulls = "/repos/{owner}/{repo}/pulls"
  const pull = `${pulls}/{pull_number}`
  const one = (number: number) => ({ ...at, pull_number: number })
  const findOpen = async ({ branch, target }: Pick<PullToOpen, "branch" | "target">) => {
    const wanted = { ...at, state: "open", head: `${owner}:${branch}`, base: target }
    const [found] = await api.list(`GET ${pulls}`, wanted, PullAnswer)
    return found && pullOf(found)
  }
  return {
    place: `${project} on ${host}`,
    findOpen,
    open: async (asked) => {
      const { branch: head, target: base, title, body, isDraft: draft } = asked
      const opening = { ...at, head, base, title, body, draft }
      return openOrFind(
        async () => pullOf(await api.ask(`POST ${pulls}`, opening, PullAnswer)),
        () => findOpen(asked),
      )
    },
    decorate: async (number, { labels, reviewers }: Decoration) => {
      const adding = { ...at, issue_number: number, labels }
      if (labels.length > 0)
        await api.ask(
          "POST /repos/{owner}/{repo}/issues/{issue_number}/labels",
          adding,
          z.unknown(),
        )
      const asking = { ...one(number), reviewers }
      if (reviewers.length > 0)
        await api.ask(`POST ${pull}/requested_reviewers`, asking, z.unknown())
    },
    read: async (number) => pullOf(await api.ask(`GET ${pull}`, one(number), PullAnswer)),
    headRef: (number) => `refs/pull/${number}/head` as RefName,
    retarget: async (number, target) => {
      await api.ask(`PATCH ${pull}`, { ...one(number), base: target }, z.unknown())
    },
    listPullReviews: async (number) =>
      (await api.list(`GET ${pull}/reviews`, one(number), PullReviewAnswer)).map(toPullReview),
    listComments: async (number, review) => {
      const asked = { ...one(number), review_id: review }
      const comments = `GET ${pull}/reviews/{review_id}/comments`
      return (await api.list(comments, asked, CommentAnswer)).map(commentOf)
    },
    listChecks: (commit) => listChecks(api, { ...at, ref: commit }),
    merge: (number, { method, head }) => {
      const asked = { ...one(number), merge_method: method, sha: head }
      return refusalOf(api.ask(`PUT ${pull}/merge`, asked, z.unknown()))
    },
    ...githubQueue(api, { owner, repo, url: options.api }),
  }
}

function pullOf(found: z.infer<typeof PullAnswer>): Pull {
  const isMerged = typeof found.merged_at === "string"
  const asked = [...(found.requested_reviewers ?? []), ...(found.requested_teams ?? [])]
  return {
    number: found.number,
    url: found.html_url,
    state: isMerged ? "merged" : found.state === "open" ? "open" : "closed",
    head: found.head.sha,
    branch: found.head.repo?.id === found.base.repo?.id ? found.head.ref : null,
    target: found.base.ref,
    // For an open one GitHub names a trial, which it throws away.
    merge: isMerged ? (found.merge_commit_sha ?? null) : null,
    isHeld: HELD.includes(found.mergeable_state) || asked.length > 0,
  }
}

function toPullReview(found: z.infer<typeof PullReviewAnswer>): PullReview {
  return {
    id: found.id,
    author: found.user?.login ?? "ghost",
    isTrusted: TRUSTED.includes(found.author_association ?? ""),
    verdict: VERDICTS[found.state] ?? "none",
    commit: (found.commit_id || null) as Oid | null,
    text: found.body ?? "",
  }
}

function commentOf(found: z.infer<typeof CommentAnswer>): PullReviewComment {
  const { path, line, original_line: original, body } = found
  return { path, line: line ?? original ?? null, text: body }
}

/** Check runs, and the statuses that older tools set. */
async function listChecks(api: ForgeApi, at: object): Promise<readonly Check[]> {
  const commit = "GET /repos/{owner}/{repo}/commits/{ref}"
  const runs = await api.list(`${commit}/check-runs`, { ...at }, RunAnswer, listIn("check_runs"))
  const statuses = await api.list(`${commit}/status`, { ...at }, StatusAnswer, listIn("statuses"))
  return [...runs.map(checkOfRun), ...statuses.map(checkOfStatus)]
}

function checkOfRun(found: z.infer<typeof RunAnswer>): Check {
  const { name, status, conclusion, html_url: url, output } = found
  const passed = PASSED.includes(conclusion ?? "") ? "passed" : "failed"
  const text = [output?.title, output?.summary].filter(Boolean).join("\n")
  return { name, state: status === "completed" ? passed : "pending", text, url: url ?? null }
}

function checkOfStatus(found: z.infer<typeof StatusAnswer>): Check {
  const { context: name, state, description, target_url: url } = found
  const states = { success: "passed", pending: "pending" } as const
  const known: Readonly<Record<string, Check["state"]>> = states
  return { name, state: known[state] ?? "failed", text: description ?? "", url: url ?? null }
}
