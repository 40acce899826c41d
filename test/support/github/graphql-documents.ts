/** Documents of GitHub's GraphQL API: each has all the fields that `gh` may ask for. */
import type { CheckRunState, PullState } from "../forge/pulls.ts"
import type { IssueState } from "./issues.ts"
import type { Call } from "./route.ts"

export type Variables = Readonly<Record<string, unknown>>
/** A query is known by its first words. */
export type Answer = readonly [
  query: RegExp,
  answer: (call: Call, variables: Variables) => Readonly<Record<string, unknown>>,
]

export const REPOSITORY_ID = "R_1"
const URL = "https://github.com/acme/demo"
const PAGE_MAX = 100

/** A list that has one page. */
export const whole = (nodes: readonly unknown[]) => ({
  nodes,
  totalCount: nodes.length,
  pageInfo: { hasNextPage: false, endCursor: null },
})

/** One page of a list. Its cursor is the number of items before the next one. */
export function page(all: readonly unknown[], { limit, endCursor, after }: Variables) {
  const from = Number(endCursor ?? after ?? 0)
  const to = from + Math.min(Number(limit ?? PAGE_MAX), PAGE_MAX)
  const pageInfo = { hasNextPage: to < all.length, endCursor: String(to) }
  return { nodes: all.slice(from, to), totalCount: all.length, issueCount: all.length, pageInfo }
}

/** A list as pairs of an edge and its node. */
export const edges = (nodes: readonly unknown[]) => ({
  totalCount: nodes.length,
  edges: nodes.map((node) => ({ node })),
})

export const user = (login: string) => ({ id: `U_${login}`, login, name: login })
export const numberIn = (id: unknown) => String(id).replace(/^\w+_/, "")
export const inputOf = ({ input }: Variables) => input as Variables

/** @throws {Error} in GitHub's words if there is none. */
export function required<Found>(found: Found | undefined, what: string): Found {
  if (found === undefined) throw new Error(`Could not resolve to ${what}.`)
  return found
}

export const pullById = ({ state }: Call, id: unknown): PullState =>
  required(state.pulls.find(numberIn(id)), `a node with the global id of '${id}'`)

export const issueById = ({ state }: Call, id: unknown): IssueState =>
  required(state.issues.find(numberIn(id)), `a node with the global id of '${id}'`)

const iso = (ms: number) => new Date(ms).toISOString()
const labelsOf = (names: readonly string[]) => whole(names.map(labelDocument))
export const labelDocument = (name: string) => ({
  ...{ id: `L_${name}`, name, color: "ededed", description: "" },
})

export function pullDocument({ state }: Call, pull: PullState): object {
  const head = state.pulls.headOf(pull)
  const issue = state.issues.find(pull.number)
  const reviews = pull.reviews.map(({ author, state: verdict, body }) => ({
    author: user(author),
    state: verdict,
    body,
  }))
  const runs = state.pulls.runs.filter(({ commit }) => commit === head)
  const contexts = { contexts: whole(runs.map(checkDocument)) }
  return {
    __typename: "PullRequest",
    id: `PR_${pull.number}`,
    number: pull.number,
    url: `${URL}/pull/${pull.number}`,
    title: pull.title,
    body: pull.body,
    state: pull.merge !== null ? "MERGED" : pull.state.toUpperCase(),
    author: user(issue?.author ?? "robot"),
    createdAt: iso(issue?.createdAtMs ?? 0),
    updatedAt: iso(issue?.updatedAtMs ?? 0),
    isDraft: pull.isDraft,
    isCrossRepository: pull.isFork === true,
    headRefName: pull.head,
    headRefOid: head,
    baseRefName: pull.base,
    baseRef: { branchProtectionRule: null },
    headRepositoryOwner: user("acme"),
    maintainerCanModify: false,
    mergeStateStatus: "CLEAN",
    reviewDecision: "",
    labels: labelsOf(issue?.labels ?? []),
    commits: whole([{ commit: { oid: head } }]),
    statusCheckRollup: whole([{ commit: { statusCheckRollup: contexts } }]),
    reviews: whole(reviews),
    reviewRequests: whole(
      pull.reviewers.map((login) => ({ requestedReviewer: { __typename: "User", login } })),
    ),
  }
}

export function checkDocument({ name, conclusion, isStatus }: CheckRunState): object {
  const word = conclusion?.toUpperCase()
  if (isStatus === true)
    return { __typename: "StatusContext", context: name, state: word ?? "PENDING" }
  const status = conclusion === null ? "IN_PROGRESS" : "COMPLETED"
  return { __typename: "CheckRun", name, status, conclusion: word ?? "" }
}

export function issueDocument(issue: IssueState) {
  const { number, title, body, state, author, labels, comments } = issue
  return {
    __typename: "Issue",
    id: `I_${number}`,
    number,
    url: `${URL}/issues/${number}`,
    title,
    body,
    state: state.toUpperCase(),
    author: user(author),
    createdAt: iso(issue.createdAtMs),
    updatedAt: iso(issue.updatedAtMs),
    labels: labelsOf(labels),
    comments: whole(comments.map(({ author, body }) => ({ author: { login: author }, body }))),
  }
}

export function repositoryDocument(call: Call) {
  const { members } = call.state
  return {
    id: REPOSITORY_ID,
    name: "demo",
    owner: user("acme"),
    description: "",
    url: URL,
    isPrivate: false,
    hasIssuesEnabled: true,
    viewerPermission: members.has(call.login) ? "WRITE" : "READ",
    defaultBranchRef: { name: "main" },
    parent: null,
    mergeCommitAllowed: true,
    rebaseMergeAllowed: true,
    squashMergeAllowed: true,
  }
}
