/** The issues of a GitHub repository as a source. */
import { gitHubClient } from "../../rest/github.ts"
import type { Source } from "../source.ts"
import { type Answer, OK } from "./answer.ts"
import type { ApiParts } from "./api.ts"
import { labelsFor } from "./issue-standing.ts"
import { type IssuesSettings, REPO, RepositoryIssues } from "./repository-issues.ts"
import type { Issue, Shown } from "./tracker.ts"
import { trackerSource } from "./tracker-source.ts"

/** The relations of an author to the repository that let them write to it. */
const MEMBERS: readonly string[] = ["OWNER", "MEMBER", "COLLABORATOR"]

const KIND = {
  name: "GitHub",
  client: gitHubClient,
  pageSize: { per_page: 100 },
  order: { sort: "updated", direction: "desc" },
}

export const githubSource = (settings: IssuesSettings, parts: ApiParts): Source =>
  trackerSource(new GitHub(KIND, settings, parts), { ...settings, nowMs: parts.nowMs })

class GitHub extends RepositoryIssues {
  async show(item: string, shown: Shown, signal: AbortSignal): Promise<Answer> {
    const { wanted, unwanted } = labelsFor(shown, this.settings.labels)
    const labels = wanted === undefined ? [] : [wanted]
    if (labels.length > 0) {
      const added = await this.api.ask(
        `POST ${REPO}/issues/{item}/labels`,
        { item, labels },
        signal,
      )
      if (added.kind !== "ok") return added
    }
    const removed = await this.api.ask(
      `DELETE ${REPO}/issues/{item}/labels/{name}`,
      { item, name: unwanted },
      signal,
    )
    return removed.kind === "gone" ? OK : removed
  }

  async isMember({ relation }: Issue): Promise<boolean> {
    return MEMBERS.includes(relation)
  }
}
