/** Queries and changes of issues, labels and the repository. */
import {
  type Answer,
  inputOf,
  issueById,
  issueDocument,
  labelDocument,
  numberIn,
  page,
  pullDocument,
  REPOSITORY_ID,
  repositoryDocument,
  required,
  user,
  type Variables,
  whole,
} from "./graphql-documents.ts"
import { fits } from "./graphql-search.ts"
import type { IssueState } from "./issues.ts"
import type { Call } from "./route.ts"

/** The newest first. */
const listIssues = ({ state }: Call, isWanted: (issue: IssueState) => boolean) =>
  state.issues.all
    .filter((issue) => !issue.isPull && isWanted(issue))
    .toReversed()
    .map(issueDocument)

const search = (call: Call, query: unknown) =>
  listIssues(call, ({ state, author, labels }) =>
    fits(call, query, { state: [state], author: [author], label: labels }),
  )

function create(call: Call, variables: Variables): IssueState {
  const { repositoryId, title, body, labelIds } = inputOf(variables)
  if (repositoryId !== REPOSITORY_ID) throw new Error("Could not resolve to a Repository.")
  const labels = ((labelIds ?? []) as readonly string[]).map(numberIn)
  return call.state.issues.open({
    ...{ title: String(title), body: String(body ?? ""), author: call.login, labels },
  })
}

/** The labels of a query such as `l000: label(name:"bug"){id,name}`; null where there is none. */
function labelsIn(
  query: string,
  known: readonly string[],
): Readonly<Record<string, object | null>> {
  const asked = query.matchAll(/(\w+): label\(name:("(?:[^"\\]|\\.)*")\)/g)
  const found = [...asked].map(([, key = "", quoted = '""']) => {
    const name = JSON.parse(quoted) as string
    return [key, known.includes(name) ? labelDocument(name) : null] as const
  })
  return Object.fromEntries(found)
}

/** An issue, or a pull request: both have numbers of one row. */
function byNumber(call: Call, number: unknown): object {
  const issue = required(
    call.state.issues.find(Number(number)),
    `an issue with the number ${number}`,
  )
  const pull = issue.isPull ? call.state.pulls.find(issue.number) : undefined
  return pull ? pullDocument(call, pull) : issueDocument(issue)
}

export const ISSUE_ANSWERS: readonly Answer[] = [
  [/^query (UserCurrent|Viewer)\b/, ({ login }) => ({ viewer: user(login) })],
  [/^query RepositoryInfo/, (call) => ({ repository: repositoryDocument(call) })],
  [
    /^query RepositoryNetwork/,
    (call) => ({
      viewer: user(call.login),
      repo_000: repositoryDocument(call),
    }),
  ],
  [/^query RepositoryFindFork/, () => ({ repository: { forks: whole([]) } })],
  [/^query Issue_fields/, () => ({ Issue: { fields: [] } })],
  [
    /^query CommentsForIssue/,
    (call, { id }) => ({ node: { comments: issueDocument(issueById(call, id)).comments } }),
  ],
  [
    /^query IssueByNumber/,
    (call, { number }) => ({
      repository: { hasIssuesEnabled: true, issue: byNumber(call, number) },
    }),
  ],
  [
    /^query IssueList/,
    (call, variables) => {
      const { states = ["OPEN"], author } = variables
      const issues = listIssues(
        call,
        (issue) =>
          (states as readonly string[]).includes(issue.state.toUpperCase()) &&
          (author ?? issue.author) === issue.author,
      )
      return { repository: { hasIssuesEnabled: true, issues: page(issues, variables) } }
    },
  ],
  [
    /^query IssueSearch/,
    (call, variables) => ({
      repository: { hasIssuesEnabled: true },
      search: page(search(call, variables["query"]), variables),
    }),
  ],
  [
    /createIssue\(/,
    (call, variables) => ({ createIssue: { issue: issueDocument(create(call, variables)) } }),
  ],
  [
    /closeIssue\(/,
    (call, variables) => {
      const issue = issueById(call, inputOf(variables)["issueId"])
      call.state.issues.change(issue, { state: "closed" })
      return { closeIssue: { issue: { id: `I_${issue.number}` } } }
    },
  ],
  [
    /addComment\(/,
    (call, variables) => {
      const { subjectId, body } = inputOf(variables)
      const issue = issueById(call, subjectId)
      const { id } = call.state.issues.comment(issue, call.login, String(body))
      const url = `${issueDocument(issue).url}#issuecomment-${id}`
      return { addComment: { commentEdge: { node: { url } } } }
    },
  ],
  [
    /^query RepositoryResolveMetadataIDs/,
    ({ state, body }) => ({ repository: labelsIn(String(body["query"]), state.issues.labels) }),
  ],
  [
    /^query (RepositoryLabelList|LabelList)\b/,
    ({ state }, variables) => {
      const labels = state.issues.labels.map(labelDocument)
      return { repository: { labels: page(labels, variables) } }
    },
  ],
]
