/** The queries and mutations that the Linear double can do; each is named as in Linear's schema. */
import { type ListArguments, listed, requireKnown, type Thing, wrongInput } from "./filter.ts"
import { LINEAR_STATES, type LinearIssue, type LinearState } from "./issues.ts"
import {
  commentThing,
  commentThings,
  idOf,
  issueThing,
  issueThings,
  labelThing,
  nameOf,
  stateThings,
  teamThing,
  userThing,
  userThings,
} from "./things.ts"

export type LinearContext = { readonly state: LinearState; readonly login: string }

// biome-ignore lint/suspicious/noExplicitAny: the arguments of any operation
type Operation = (given: any, context: LinearContext) => unknown
type ById = { readonly id: string }

const missing = (kind: string) => wrongInput(`Entity not found: ${kind}`)

function byId(kind: string, all: readonly Thing[], id: string): Thing {
  const found = all.find((one) => one["id"] === id)
  if (!found) throw missing(kind)
  return found
}

/** Linear takes the identifier of an issue for its id too. */
function issueOf(state: LinearState, id: string): LinearIssue {
  const issue = state.find(id.startsWith("issue:") ? nameOf(id) : id)
  if (!issue) throw missing("Issue")
  return issue
}

/** A person's token acts for the person. */
const selfOf = ({ state, login }: LinearContext): Thing => ({
  ...userThing(state, login),
  isMe: true,
})

const teamsOf = (state: LinearState) => [teamThing(state, state.team)]
const labelsOf = (state: LinearState) => state.labels.map(labelThing)

const QUERIES: Readonly<Record<string, Operation>> = {
  issues: (asked: ListArguments, { state }) => listed(issueThings(state), asked),
  issue: ({ id }: ById, { state }) => issueThing(state, issueOf(state, id)),
  comments: (asked: ListArguments, { state }) => listed(commentThings(state), asked),
  comment: ({ id }: ById, { state }) => byId("Comment", commentThings(state), id),
  teams: (asked: ListArguments, { state }) => listed(teamsOf(state), asked),
  team: ({ id }: ById, { state }) =>
    byId("Team", teamsOf(state), id === state.team ? idOf("team", id) : id),
  issueLabels: (asked: ListArguments, { state }) => listed(labelsOf(state), asked),
  issueLabel: ({ id }: ById, { state }) => byId("IssueLabel", labelsOf(state), id),
  workflowStates: (asked: ListArguments, { state }) => listed(stateThings(state), asked),
  workflowState: ({ id }: ById, { state }) => byId("WorkflowState", stateThings(state), id),
  users: (asked: ListArguments, { state }) => listed(userThings(state), asked),
  user: ({ id }: ById, { state }) => byId("User", userThings(state), id),
  viewer: (_, context) => selfOf(context),
}

const MUTATIONS: Readonly<Record<string, Operation>> = {
  commentCreate: ({ input }, { state, login }) => {
    requireKnown(input, ["issueId", "body"])
    const issue = issueOf(state, input.issueId)
    if (!input.body) throw wrongInput("body should not be empty")
    return done({ comment: commentThing(state, issue, state.comment(issue, login, input.body)) })
  },
  commentDelete: ({ id }: ById, { state }) => {
    const issue = state.issues.find(({ comments }) => comments.some((one) => one.id === id))
    if (!issue) throw missing("Comment")
    issue.comments = issue.comments.filter((one) => one.id !== id)
    return done({ entityId: id })
  },
  issueUpdate: ({ id, input }, { state }) => {
    const issue = issueOf(state, id)
    state.change(issue, changeOf(state, issue, input))
    return done({ issue: issueThing(state, issue) })
  },
  issueAddLabel: ({ id, labelId }, { state }) => relabel(state, id, { addedLabelIds: [labelId] }),
  issueRemoveLabel: ({ id, labelId }, { state }) =>
    relabel(state, id, { removedLabelIds: [labelId] }),
}

export const OPERATIONS = { ...QUERIES, ...MUTATIONS }

const done = (more: Thing): Thing => ({ success: true, lastSyncId: 1, ...more })

function relabel(state: LinearState, id: string, input: Thing): Thing {
  const issue = issueOf(state, id)
  state.change(issue, changeOf(state, issue, input))
  return done({ issue: issueThing(state, issue) })
}

function changeOf(state: LinearState, issue: LinearIssue, input: Thing): Partial<LinearIssue> {
  const { addedLabelIds = [], removedLabelIds = [], labelIds, stateId, ...text } = input
  requireKnown(text, ["title", "description"])
  const named = (ids: readonly string[]) =>
    ids.map((id) => byId("IssueLabel", labelsOf(state), id)["name"] as string)
  const kept = labelIds ? named(labelIds) : issue.labels
  const removed = named(removedLabelIds)
  const labels = [...new Set([...kept, ...named(addedLabelIds)])]
  if (stateId && LINEAR_STATES[nameOf(stateId)] === undefined) throw missing("WorkflowState")
  return {
    ...text,
    labels: labels.filter((label) => !removed.includes(label)),
    ...(stateId && { state: nameOf(stateId) }),
  }
}
