/** GitLab issues as a source, against a double that fails on request. */
import { GitLabServer } from "../../../../test/support/gitlab-server.ts"
import {
  GIT_HOST,
  LABELS,
  type SourceOptions,
  startTracker,
} from "../../../../test/support/tracker-bench.ts"
import { trackerContract } from "./contract.ts"
import { gitlabSource } from "./gitlab.ts"

const sourceOf = (
  server: GitLabServer,
  { token = "token-of-robot", authors = "members", requestMsMax }: SourceOptions = {},
) =>
  gitlabSource(
    { repo: "acme/app", apiUrl: server.url, labels: LABELS, authors, readyAgain: true },
    { token: async () => token, nowMs: server.state.nowMs, requestMsMax },
  )

trackerContract<GitLabServer>({
  name: "gitlab",
  start: () => startTracker(GitLabServer),
  sourceOf,
  openIssue: ({ state: { issues } }, { title, text, author }) => {
    const labels = [LABELS.ready, "bug"]
    const issue = issues.open({ title, description: text, author: author ?? "", labels })
    const comments = () => issue.notes.filter(({ system }) => !system)
    return {
      id: String(issue.iid),
      shown: () => issue.labels.toSorted(),
      comments: () => comments().map(({ body }) => body),
      comment: (who, body) => issues.note(issue, who, body),
      edit: (description) => issues.change(issue, { description }),
      setReady: (isReady) => issues.change(issue, { labels: isReady ? [LABELS.ready] : [] }),
    }
  },
  ...GIT_HOST,
  requestCount: 10,
  pageSize: 100,
  addsComment: ({ method }) => method === "POST",
  changesIssue: ({ method }) => method === "PUT",
  memberCheck: {
    isRequest: ({ path }) => path.includes("/members/"),
    error: /The token may not read the members/,
  },
})
