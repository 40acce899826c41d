/** The shapes of Jira's answers, and its client. */
import { z } from "zod"
import { type ApiOptions, RestClient } from "../../../rest/client.ts"
import { thoseFit } from "../answer.ts"
import type { ApiParts } from "../api.ts"

export type JiraParts = ApiParts & {
  /** The address of the account whose token it is. */
  readonly email: string
}

export const jiraClient = (options: ApiOptions, email: string): RestClient =>
  new RestClient({
    ...options,
    authorize: (token) => ({
      authorization: `Basic ${Buffer.from(`${email}:${token}`).toString("base64")}`,
    }),
  })

const User = z.object({
  accountId: z.string(),
  displayName: z.string().optional(),
  /** The user may hide the address. */
  emailAddress: z.string().optional(),
  active: z.boolean().optional(),
  accountType: z.string().optional(),
})

export const IssueAnswer = z.object({
  key: z.string(),
  fields: z.object({
    summary: z.string(),
    description: z.unknown().optional(),
    /** Absent where a project hides the field. */
    labels: z.array(z.string()).default([]),
    status: z.object({ name: z.string(), statusCategory: z.object({ key: z.string() }) }),
    creator: User.nullish(),
  }),
})
export type IssueAnswer = z.infer<typeof IssueAnswer>

export const IssuesAnswer = z.object({
  issues: thoseFit(IssueAnswer),
  nextPageToken: z.string().nullish(),
})

export const CommentAnswer = z.object({
  id: z.string().regex(/^\d{1,15}$/),
  body: z.unknown().optional(),
  author: User.nullish(),
})
export type CommentAnswer = z.infer<typeof CommentAnswer>

export const CommentsAnswer = z.object({
  comments: z.array(CommentAnswer),
  startAt: z.int(),
  total: z.int(),
})

export const UsersAnswer = z.array(User)

export const TransitionsAnswer = z.object({
  transitions: z.array(z.object({ id: z.string(), to: z.object({ name: z.string() }) })),
})
