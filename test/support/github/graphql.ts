/**
 * The part of GitHub's GraphQL API that `gh` asks for, over the state of the REST look-alike.
 *
 * A query is known by its first words, and gets all the fields that `gh` may ask for there.
 */
import type { CheckRunState, MergeMethod, PullState } from "../forge/pulls.ts"
import { review } from "../forge/pulls.ts"
import type { IssueState } from "./issues.ts"
import type { Call, Reply, Route } from "./route.ts"

type Variables = Readonly<Record<string, unknown>>
type Answer = (call: Call, variables: Variables) => unknown

const whole = (nodes: readonly unknown[]) => ({
  nodes,
  totalCount: nodes.length,
  pageInfo: { hasNextPage: false, endCursor: null },
})
const user = (login: string) => ({ id: `U_${login}`, login, name: login })
const numberIn = (id: unknown) => String(id).replace(/^\w+_/, "")

function pullDocument({ state }: Call, pull: PullState): object {
  const head = state.pulls.headOf(pull)
  const reviews = pull.reviews.map(({ author, state: verdict, body }) => ({
    author: user(author),
    state: verdict,
    body,
  }))
  return {
    id: `PR_${pull.number}`,
    number: pull.number,
    title: pull.title,
    body: pull.body,
    state: pull.merge !== null ? "MERGED" : pull.state.toUpperCase(),
    isDraft: pull.isDraft,
    headRefName: pull.head,
    headRefOid: head,
    baseRefName: pull.base,
    headRepositoryOwner: user("acme"),
    mergeStateStatus: "CLEAN",
    commits: whole([{ commit: { oid: head } }]),
    reviews: whole(reviews),
    reviewRequests: whole(
      pull.reviewers.map((login) => ({ requestedReviewer: { __typename: "User", login } })),
    ),
  }
}

function checkDocument({ name, conclusion, isStatus }: CheckRunState): object {
  const word = conclusion?.toUpperCase()
  if (isStatus === true)
    return { __typename: "StatusContext", context: name, state: word ?? "PENDING" }
  const status = conclusion === null ? "IN_PROGRESS" : "COMPLETED"
  return { __typename: "CheckRun", name, status, conclusion: word ?? "" }
}

function issueDocument({ number, title, body, state, author, labels, comments }: IssueState) {
  return {
    __typename: "Issue",
    id: `I_${number}`,
    number,
    title,
    body,
    state: state.toUpperCase(),
    author: user(author),
    labels: whole(labels.map((name) => ({ id: `L_${name}`, name }))),
    comments: whole(comments.map(({ author, body }) => ({ author: { login: author }, body }))),
  }
}

function queueDocument({ state: { pulls } }: Call, pull: PullState): object {
  const { queue } = pulls
  const commit = queue?.commitOf(pull)
  const removal = queue?.removalOf(pull)
  return {
    id: `PR_${pull.number}`,
    isMergeQueueEnabled: queue !== undefined,
    mergeQueue: queue ? { configuration: { mergeMethod: queue.method.toUpperCase() } } : null,
    mergeQueueEntry: commit === undefined ? null : { headCommit: { oid: commit } },
    timelineItems: {
      nodes: removal ? [{ id: `RFMQE_${removal.id}`, reason: removal.reason ?? "manual" }] : [],
    },
  }
}

const inputOf = ({ input }: Variables) => input as Readonly<Record<string, unknown>>

/** @throws {Error} in GitHub's words if there is none. */
function required<Found>(found: Found | undefined, what: string): Found {
  if (found === undefined) throw new Error(`Could not resolve to ${what}.`)
  return found
}

const pullById = ({ state }: Call, id: unknown) =>
  required(state.pulls.find(numberIn(id)), `a node with the global id of '${id}'`)

const EVENTS: Readonly<Record<string, "APPROVED" | "CHANGES_REQUESTED" | "COMMENTED">> = {
  APPROVE: "APPROVED",
  REQUEST_CHANGES: "CHANGES_REQUESTED",
  COMMENT: "COMMENTED",
}

const ANSWERS: readonly (readonly [RegExp, Answer])[] = [
  [/^query PullRequest_fields/, () => ({ PullRequest: { fields: [] } })],
  [
    /^query PullRequestByNumber/,
    (call, { pr_number: number }) => {
      const found = call.state.pulls.find(Number(number))
      const what = `a PullRequest with the number of ${number}`
      return { repository: { pullRequest: pullDocument(call, required(found, what)) } }
    },
  ],
  [
    /^query PullRequestStatusChecks/,
    (call, { id }) => {
      const { pulls } = call.state
      const head = pulls.headOf(pullById(call, id))
      const contexts = whole(pulls.runs.filter(({ commit }) => commit === head).map(checkDocument))
      return {
        node: { statusCheckRollup: whole([{ commit: { statusCheckRollup: { contexts } } }]) },
      }
    },
  ],
  [
    /addPullRequestReview\(/,
    (call, variables) => {
      const { pullRequestId, event, body } = inputOf(variables)
      const verdict = EVENTS[String(event)] ?? "COMMENTED"
      const facts = { author: call.login, body: String(body ?? "") }
      review(call.state, pullById(call, pullRequestId), verdict, facts)
      return { addPullRequestReview: { clientMutationId: "" } }
    },
  ],
  [
    /mergePullRequest\(/,
    (call, variables) => {
      const { pullRequestId, mergeMethod } = inputOf(variables)
      const pull = pullById(call, pullRequestId)
      if (pull.state !== "open") throw new Error("Pull Request is not mergeable")
      call.state.pulls.merge(pull, String(mergeMethod).toLowerCase() as MergeMethod)
      return { mergePullRequest: { clientMutationId: "" } }
    },
  ],
  [
    /^query CoppiceFindQueue/,
    (call, { number }) => {
      const found = call.state.pulls.find(Number(number))
      const pull = required(found, `a PullRequest with the number of ${number}`)
      return { repository: { pullRequest: queueDocument(call, pull) } }
    },
  ],
  [
    /enqueuePullRequest\(/,
    (call, variables) => {
      const { pullRequestId, expectedHeadOid } = inputOf(variables)
      const pull = pullById(call, pullRequestId)
      const { queue } = call.state.pulls
      const refused = queue ? queue.add(pull, expectedHeadOid) : "The branch has no merge queue"
      if (refused !== undefined) throw new Error(refused)
      return { enqueuePullRequest: { clientMutationId: null } }
    },
  ],
  [
    /^query CommentsForIssue/,
    ({ state }, { id }) => {
      const found = required(state.issues.find(numberIn(id)), `a node with the id of '${id}'`)
      return { node: { comments: issueDocument(found).comments } }
    },
  ],
  [
    /^query IssueByNumber/,
    ({ state }, { number }) => {
      const found = required(
        state.issues.find(Number(number)),
        `an issue with the number ${number}`,
      )
      return { repository: { hasIssuesEnabled: true, issue: issueDocument(found) } }
    },
  ],
]

function answer(call: Call): Reply {
  const text = String(call.body["query"]).trim()
  // A query can begin with its fragments.
  const query = text.slice(Math.max(0, text.search(/(query|mutation) \w+[({]/)))
  const variables = (call.body["variables"] ?? {}) as Variables
  const [, found] = ANSWERS.find(([pattern]) => pattern.test(query)) ?? []
  if (!found) return { status: 500, body: { message: `the look-alike does not know: ${query}` } }
  try {
    return { status: 200, body: { data: found(call, variables) } }
  } catch (error) {
    const { message } = error as Error
    return { status: 200, body: { data: null, errors: [{ type: "NOT_FOUND", message }] } }
  }
}

export const GRAPHQL_ROUTES: readonly Route[] = [{ method: "POST", path: "/graphql", answer }]
