/** The issues of a GitLab project as a source: a label says that an issue is ready. */
import { z } from "zod"
import { gitLabClient } from "../../rest/gitlab.ts"
import { withoutQuickActions } from "../../rest/quick-actions.ts"
import { SourceError } from "../errors.ts"
import type { Source } from "../source.ts"
import { type Answer, checked } from "./answer.ts"
import type { ApiParts } from "./api.ts"
import { labelsFor } from "./issue-standing.ts"
import { KnownMembers } from "./known-members.ts"
import { type IssuesSettings, RepositoryIssues } from "./repository-issues.ts"
import type { Issue, Shown } from "./tracker.ts"
import { trackerSource } from "./tracker-source.ts"

/** The access level of a developer, who may write to the repository. */
const DEVELOPER = 30
const ISSUES = "/projects/{project}/issues"

const User = z.object({ id: z.int(), username: z.string() }).nullish()
type User = z.infer<typeof User>

const userOf = (author: User) => author && { login: author.username }

const IssueAnswer = z
  .object({
    iid: z.int().positive(),
    title: z.string(),
    description: z.string().nullish(),
    state: z.string(),
    labels: z.array(z.string()),
    author: User,
    web_url: z.string().optional(),
  })
  .transform(({ iid: number, description: body, web_url: html_url, author, ...same }) => {
    const author_association = author && String(author.id)
    return { ...same, number, body, html_url, user: userOf(author), author_association }
  })

const NoteAnswer = z
  .object({
    id: z.int(),
    body: z.string().nullish(),
    author: User,
    system: z.boolean().nullish(),
  })
  .transform(({ author, ...same }) => ({ ...same, user: userOf(author) }))

const MemberAnswer = z.object({ access_level: z.int() })

const KIND = {
  name: "GitLab",
  client: gitLabClient,
  at: (project: string) => ({ project }),
  issues: ISSUES,
  comments: "notes",
  commentOrder: { order_by: "created_at", sort: "asc" },
  open: "opened",
  issue: IssueAnswer,
  comment: NoteAnswer,
  pageSize: { per_page: 100 },
  order: { order_by: "updated_at", sort: "desc" },
}

export const gitlabSource = (settings: IssuesSettings, parts: ApiParts): Source =>
  trackerSource(new GitLab(settings, parts), { ...settings, nowMs: parts.nowMs })

class GitLab extends RepositoryIssues {
  readonly #members: KnownMembers

  constructor(settings: IssuesSettings, parts: ApiParts) {
    super(KIND, settings, parts)
    this.#members = new KnownMembers(parts.nowMs)
  }

  override async comment(item: string, text: string, marker: string, signal: AbortSignal) {
    return await super.comment(item, withoutQuickActions(text), marker, signal)
  }

  override async removeComment(item: string, id: string, signal: AbortSignal): Promise<Answer> {
    return await this.api.ask(`DELETE ${ISSUES}/{item}/notes/{id}`, { item, id }, signal)
  }

  async show(item: string, shown: Shown, signal: AbortSignal): Promise<Answer> {
    const { wanted, unwanted } = labelsFor(shown, this.settings.labels)
    const params = { item, add_labels: wanted, remove_labels: unwanted }
    return await this.api.ask(`PUT ${ISSUES}/{item}`, params, signal)
  }

  async isMember({ relation: id }: Issue, signal: AbortSignal): Promise<boolean> {
    return await this.#members.has(id, async () => {
      const answer = await this.api.ask("GET /projects/{project}/members/all/{id}", { id }, signal)
      const member = checked(MemberAnswer, answer)
      if (member.kind === "forbidden")
        throw new SourceError(
          "source.refused",
          `The token may not read the members of ${this.name}: ${member.why}.`,
        )
      return member.kind === "ok" && member.data.access_level >= DEVELOPER
    })
  }
}
