/** The issues of a repository on Gitea or Forgejo as a source. Its API names labels by id. */
import { z } from "zod"
import { giteaClient } from "../../rest/gitea.ts"
import { SourceError } from "../errors.ts"
import type { Source } from "../source.ts"
import { type Answer, checked, OK } from "./answer.ts"
import type { ApiParts } from "./api.ts"
import { labelsFor } from "./issue-standing.ts"
import { KnownMembers } from "./known-members.ts"
import {
  type IssueAnswer,
  type IssuesSettings,
  REPO,
  RepositoryIssues,
} from "./repository-issues.ts"
import type { Issue, Shown } from "./tracker.ts"
import { trackerSource } from "./tracker-source.ts"

/** The permissions that let a user write to the repository. */
const MEMBERS: readonly string[] = ["write", "admin", "owner"]
/** 1,000 labels: more than a person makes. */
const LABEL_PAGES_MAX = 20
/** A label that Coppice makes is grey. */
const COLOR = "#808080"

const KIND = {
  name: "Gitea",
  client: giteaClient,
  pageSize: { limit: 50 }, // servers give no more by default
  order: { type: "issues", sort: "recentupdate" },
}

const Label = z.object({ id: z.int(), name: z.string() })
const LabelList = z.array(Label)
const PermissionAnswer = z.object({ permission: z.string() })

const ISSUES = `${REPO}/issues`

export const giteaSource = (settings: IssuesSettings, parts: ApiParts): Source =>
  trackerSource(new Gitea(settings, parts), { ...settings, nowMs: parts.nowMs })

class Gitea extends RepositoryIssues {
  readonly #members: KnownMembers

  constructor(settings: IssuesSettings, parts: ApiParts) {
    super(KIND, settings, parts)
    this.#members = new KnownMembers(parts.nowMs)
  }

  protected override relationOf({ user }: IssueAnswer): string {
    return user?.login ?? ""
  }

  async show(item: string, shown: Shown, signal: AbortSignal): Promise<Answer> {
    const { wanted, unwanted } = labelsFor(shown, this.settings.labels)
    const present = await this.#addLabel(item, wanted, signal)
    if (present.kind !== "ok") return present
    for (const { id, name } of present.data) {
      if (name !== unwanted) continue
      const route = `DELETE ${ISSUES}/{item}/labels/{id}`
      const removed = await this.api.ask(route, { item, id }, signal)
      if (removed.kind === "forbidden") return removed
    }
    return OK
  }

  /** @returns all labels that the issue has now. */
  async #addLabel(item: string, name: string | undefined, signal: AbortSignal) {
    const route = `${ISSUES}/{item}/labels`
    if (name === undefined)
      return checked(LabelList, await this.api.ask(`GET ${route}`, { item }, signal))
    const label = await this.#label(name, signal)
    if (label.kind !== "ok") return label
    const labels = [label.data.id]
    return checked(LabelList, await this.api.ask(`POST ${route}`, { item, labels }, signal))
  }

  /** A label of the repository, or of the organization that owns it; else a new one. */
  async #label(name: string, signal: AbortSignal): Promise<Answer<z.infer<typeof Label>>> {
    for (const list of [`GET ${REPO}/labels`, "GET /orgs/{owner}/labels"]) {
      // Gitea names no next page of labels.
      for (let page = 1; page <= LABEL_PAGES_MAX; page++) {
        const answer = await this.page(list, { page }, signal)
        const labels = checked(LabelList, answer)
        // The owner is not an organization, or the token's scope leaves it out.
        if (labels.kind !== "ok" || labels.data.length === 0) break
        const found = labels.data.find((label) => label.name === name)
        if (found) return { ...labels, data: found }
      }
    }
    const made = await this.api.ask(`POST ${REPO}/labels`, { name, color: COLOR }, signal)
    return checked(Label, made)
  }

  async isMember({ relation: user }: Issue, signal: AbortSignal): Promise<boolean> {
    return await this.#members.has(user, async () => {
      const route = `GET ${REPO}/collaborators/{user}/permission`
      const found = checked(PermissionAnswer, await this.api.ask(route, { user }, signal))
      if (found.kind === "forbidden")
        throw new SourceError(
          "source.refused",
          `The token may not read who may write to ${this.name}: ${found.why}. Use the token of an administrator of the repository, or name the \`authors\` of the source.`,
        )
      return found.kind === "ok" && MEMBERS.includes(found.data.permission)
    })
  }
}
