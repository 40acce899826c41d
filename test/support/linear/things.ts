/** The issues, comments, labels, states, users and teams of the Linear double, for GraphQL. */
import { type ListArguments, listed, type Thing } from "./filter.ts"
import {
  identifierOf,
  LINEAR_STATES,
  type LinearComment,
  type LinearIssue,
  type LinearState,
  type LinearUser,
} from "./issues.ts"

const SITE = "https://linear.app/acme"
const MADE_AT = "2025-01-01T00:00:00.000Z"
const ALWAYS = { createdAt: MADE_AT, updatedAt: MADE_AT, archivedAt: null }

const timeOf = (ms: number) => new Date(ms).toISOString()
export const idOf = (kind: string, name: string) => `${kind}:${name}`
export const nameOf = (id: string) => id.slice(id.indexOf(":") + 1)

/** A user that did not join wrote from elsewhere. */
export function userThing(state: LinearState, name: string): Thing {
  const stranger = { id: name, displayName: name, email: `${name}@elsewhere.example` }
  const nobody: LinearUser = { ...stranger, active: false, guest: false, app: false }
  const user = state.users.get(name) ?? nobody
  return {
    ...ALWAYS,
    ...user,
    name: user.displayName,
    initials: user.displayName.slice(0, 1).toUpperCase(),
    url: `${SITE}/profiles/${user.displayName}`,
    avatarBackgroundColor: "#5e6ad2",
    inviteHash: "none",
    isAssignable: user.active,
    isMentionable: user.active,
  }
}

const stateThing = (state: LinearState, name: string): Thing => ({
  ...ALWAYS,
  id: idOf("state", name),
  name,
  type: LINEAR_STATES[name],
  color: "#e2e2e2",
  position: Object.keys(LINEAR_STATES).indexOf(name),
  team: () => teamThing(state, state.team),
})

/** Every label is one of the workspace. */
export const labelThing = (name: string): Thing => ({
  ...ALWAYS,
  id: idOf("label", name),
  name,
  color: "#bec2c8",
  team: null,
})

export const teamThing = (state: LinearState, key: string): Thing => ({
  ...ALWAYS,
  id: idOf("team", key),
  key,
  name: key === state.team ? "Engineering" : key,
  displayName: key === state.team ? "Engineering" : key,
  description: null,
  timezone: "Etc/UTC",
  visibility: "public",
  issueEstimationType: "notUsed",
  setIssueSortOrderOnStateChange: "first",
  cycleCalenderUrl: `${SITE}/cycles`,
  inviteHash: "none",
  states: (asked: ListArguments) => listed(stateThings(state), asked),
  labels: (asked: ListArguments) => listed(state.labels.map(labelThing), asked),
  members: (asked: ListArguments) => listed(userThings(state), asked),
  issues: (asked: ListArguments) =>
    listed(
      issueThings(state).filter((one) => one["team"]().key === key),
      asked,
    ),
})

export const stateThings = (state: LinearState) =>
  Object.keys(LINEAR_STATES).map((name) => stateThing(state, name))
export const userThings = (state: LinearState) =>
  [...state.users.keys()].map((name) => userThing(state, name))
export const issueThings = (state: LinearState) =>
  state.issues.filter((one) => !one.isArchived).map((one) => issueThing(state, one))

export const issueThing = (state: LinearState, issue: LinearIssue): Thing => ({
  id: idOf("issue", identifierOf(issue)),
  identifier: identifierOf(issue),
  number: issue.number,
  title: issue.title,
  description: issue.description,
  url: `${SITE}/issue/${identifierOf(issue)}`,
  branchName: `robot/${identifierOf(issue).toLowerCase()}`,
  priorityLabel: "No priority",
  createdAt: timeOf(issue.createdAtMs),
  updatedAt: timeOf(issue.updatedAtMs),
  sharedAccess: {},
  project:
    issue.project === null ? null : { id: `project:${issue.project}`, slugId: issue.project },
  creator: issue.creator === null ? null : () => userThing(state, issue.creator ?? ""),
  state: () => stateThing(state, issue.state),
  team: () => teamThing(state, issue.team),
  labelIds: issue.labels.map((name) => idOf("label", name)),
  labels: (asked: ListArguments) => listed(issue.labels.map(labelThing), asked),
  comments: (asked: ListArguments) =>
    listed(
      issue.comments.map((one) => commentThing(state, issue, one)),
      asked,
    ),
})

export const commentThings = (state: LinearState) =>
  state.issues
    .filter((one) => !one.isArchived)
    .flatMap((issue) => issue.comments.map((one) => commentThing(state, issue, one)))

export function commentThing(
  state: LinearState,
  issue: LinearIssue,
  { id, body, createdAtMs, author }: LinearComment,
): Thing {
  const isApp = author === null
  return {
    id,
    body,
    bodyData: JSON.stringify({ type: "doc", content: [] }),
    url: `${SITE}/issue/${identifierOf(issue)}#${id}`,
    createdAt: timeOf(createdAtMs),
    updatedAt: timeOf(createdAtMs),
    issueId: idOf("issue", identifierOf(issue)),
    issue: () => issueThing(state, issue),
    user: isApp ? null : () => userThing(state, author),
    botActor: isApp ? { id: "bot:1", type: "integration", name: "A service" } : null,
  }
}
