/**
 * The queries to Linear, and the shapes of their answers.
 *
 * The cost of a query grows with the sizes of its lists, and Linear limits it: no list is longer than
 * what is read of it.
 */
import { z } from "zod"
import { thoseFit } from "../answer.ts"

const PageAnswer = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() })
export type PageAnswer = z.infer<typeof PageAnswer>

const IssueAnswer = z.object({
  identifier: z.string(),
  title: z.string(),
  description: z.string().nullish(),
  url: z.string(),
  creator: z
    .object({
      displayName: z.string(),
      email: z.string(),
      active: z.boolean(),
      guest: z.boolean(),
      app: z.boolean(),
    })
    .nullish(),
  state: z.object({ name: z.string(), type: z.string() }),
  labels: z.object({ nodes: z.array(z.object({ name: z.string() })) }),
})
export type IssueAnswer = z.infer<typeof IssueAnswer>

const CommentAnswer = z.object({
  id: z.string(),
  body: z.string(),
  createdAt: z.iso.datetime(),
  user: z.object({ id: z.string() }).nullish(),
})
export type CommentAnswer = z.infer<typeof CommentAnswer>

const Done = z.object({ success: z.literal(true) })
const Named = z.object({ nodes: z.array(z.object({ id: z.string(), name: z.string() })) })

/** The newest change comes first. Only the wanted labels of an issue are read. */
export const ISSUES = [
  `query Issues($filter: IssueFilter!, $labels: [String!]!, $first: Int!, $after: String) {
    issues(filter: $filter, first: $first, after: $after, orderBy: updatedAt) {
      nodes {
        identifier title description url
        creator { displayName email active guest app }
        state { name type }
        labels(filter: { name: { in: $labels } }, first: 5) { nodes { name } }
      }
      pageInfo { hasNextPage endCursor }
    }
  }`,
  z.object({ issues: z.object({ nodes: thoseFit(IssueAnswer), pageInfo: PageAnswer }) }),
] as const

export const COMMENTS = [
  `query Comments($filter: CommentFilter!, $first: Int!, $after: String) {
    comments(filter: $filter, first: $first, after: $after, orderBy: createdAt) {
      nodes { id body createdAt user { id } }
      pageInfo { hasNextPage endCursor }
    }
  }`,
  z.object({ comments: z.object({ nodes: z.array(CommentAnswer), pageInfo: PageAnswer }) }),
] as const

/** The team, and its labels and states with these names. A label may be of the workspace. */
export const NAMES = [
  `query Names($team: String!, $names: [String!]!) {
    teams(filter: { key: { eq: $team } }, first: 1) { nodes { id name } }
    issueLabels(
      filter: {
        name: { in: $names }
        or: [{ team: { key: { eq: $team } } }, { team: { null: true } }]
      }
      first: 10
    ) { nodes { id name } }
    workflowStates(filter: { name: { in: $names }, team: { key: { eq: $team } } }, first: 10) {
      nodes { id name }
    }
  }`,
  z.object({ teams: Named, issueLabels: Named, workflowStates: Named }),
] as const

export const ADD_COMMENT = [
  `mutation AddComment($issue: String!, $body: String!) {
    commentCreate(input: { issueId: $issue, body: $body }) {
      comment { id body createdAt user { id } }
    }
  }`,
  z.object({ commentCreate: z.object({ comment: CommentAnswer }) }),
] as const

export const REMOVE_COMMENT = [
  "mutation RemoveComment($id: String!) { commentDelete(id: $id) { success } }",
  z.object({ commentDelete: Done }),
] as const

export const CHANGE = [
  `mutation Change($issue: String!, $change: IssueUpdateInput!) {
    issueUpdate(id: $issue, input: $change) { success }
  }`,
  z.object({ issueUpdate: Done }),
] as const
