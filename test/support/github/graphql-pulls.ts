/** Queries and changes of pull requests. */
import type { MergeMethod, PullState } from "../forge/pulls.ts"
import { review } from "../forge/pulls.ts"
import {
  type Answer,
  checkDocument,
  edges,
  inputOf,
  issueById,
  numberIn,
  page,
  pullById,
  pullDocument,
  repositoryDocument,
  required,
  type Variables,
  whole,
} from "./graphql-documents.ts"
import { fits } from "./graphql-search.ts"
import { openPull } from "./pulls.ts"
import type { Call } from "./route.ts"

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

const pullByNumber = ({ state }: Call, number: unknown) =>
  required(state.pulls.find(Number(number)), `a PullRequest with the number of ${number}`)

const stateOf = ({ state, merge }: PullState) => (merge ? "MERGED" : state.toUpperCase())

/** The newest first. */
const listPulls = (call: Call, isWanted: (pull: PullState) => boolean) =>
  call.state.pulls.all
    .filter(isWanted)
    .toReversed()
    .map((pull) => pullDocument(call, pull))

const search = (call: Call, query: unknown) =>
  listPulls(call, (pull) => {
    const { author = "robot", labels = [] } = call.state.issues.find(pull.number) ?? {}
    return fits(call, query, {
      state: [stateOf(pull).toLowerCase(), ...(pull.merge ? ["closed"] : [])],
      author: [author],
      label: labels,
      head: [pull.head],
      base: [pull.base],
      "review-requested": pull.reviewers,
    })
  })

const EVENTS: Readonly<Record<string, "APPROVED" | "CHANGES_REQUESTED" | "COMMENTED">> = {
  APPROVE: "APPROVED",
  REQUEST_CHANGES: "CHANGES_REQUESTED",
  COMMENT: "COMMENTED",
}

function create(call: Call, variables: Variables): PullState {
  const { headRefName, baseRefName: base, title, body, draft } = inputOf(variables)
  const head = String(headRefName).replace(/^[^:]*:/, "")
  const reply = openPull({ ...call, body: { head, base, title, body, draft } })
  if (reply.status === 201) return call.state.pulls.all.at(-1)!
  const { message, errors } = reply.body as { message: string; errors: { message?: string }[] }
  throw new Error(errors[0]?.message ?? message)
}

export const PULL_ANSWERS: readonly Answer[] = [
  [/^query PullRequest_fields/, () => ({ PullRequest: { fields: [] } })],
  [
    /^query PullRequestByNumber/,
    (call, { pr_number: number }) => {
      const pullRequest = pullDocument(call, pullByNumber(call, number))
      return { repository: { pullRequest } }
    },
  ],
  [
    /^query PullRequestForBranch/,
    (call, { headRefName, states }) => {
      const wanted = (states ?? ["OPEN", "CLOSED", "MERGED"]) as readonly string[]
      const pulls = listPulls(
        call,
        (pull) => pull.head === headRefName && wanted.includes(stateOf(pull)),
      )
      return { repository: { ...repositoryDocument(call), pullRequests: whole(pulls) } }
    },
  ],
  [
    /^query PullRequestList/,
    (call, variables) => {
      const { state = ["OPEN"], headBranch, baseBranch } = variables
      const pulls = listPulls(
        call,
        (pull) =>
          (state as readonly string[]).includes(stateOf(pull)) &&
          (headBranch ?? pull.head) === pull.head &&
          (baseBranch ?? pull.base) === pull.base,
      )
      return { repository: { pullRequests: page(pulls, variables) } }
    },
  ],
  [
    /^query PullRequestSearch/,
    (call, variables) => ({ search: page(search(call, variables["q"]), variables) }),
  ],
  [
    /^query PullRequestStatus\(/,
    (call, { headRefName, viewerQuery, reviewerQuery }) => ({
      repository: {
        defaultBranchRef: { name: "main" },
        pullRequests: edges(listPulls(call, ({ head }) => head === headRefName)),
      },
      viewerCreated: edges(search(call, viewerQuery)),
      reviewRequested: edges(search(call, reviewerQuery)),
    }),
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
    /createPullRequest\(/,
    (call, variables) => {
      const pullRequest = pullDocument(call, create(call, variables))
      return { createPullRequest: { pullRequest } }
    },
  ],
  [
    /updatePullRequest\(/,
    (call, variables) => {
      const { pullRequestId, labelIds } = inputOf(variables)
      const labels = ((labelIds ?? []) as readonly string[]).map(numberIn)
      call.state.issues.change(issueById(call, pullRequestId), { labels })
      return { updatePullRequest: { clientMutationId: "" } }
    },
  ],
  [
    /closePullRequest\(/,
    (call, variables) => {
      const pull = pullById(call, inputOf(variables)["pullRequestId"])
      if (pull.merge !== null) throw new Error("Could not close the pull request.")
      pull.state = "closed"
      const issue = call.state.issues.find(pull.number)
      if (issue) call.state.issues.change(issue, { state: "closed" })
      return { closePullRequest: { pullRequest: { id: `PR_${pull.number}` } } }
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
      const pullRequest = queueDocument(call, pullByNumber(call, number))
      return { repository: { pullRequest } }
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
]
