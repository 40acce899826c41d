/**
 * The part of GitHub's GraphQL API that `gh` asks for, over the state of the REST double.
 *
 * A query is known by its first words, and gets all the fields that `gh` may ask for there.
 */
import type { Variables } from "./graphql-documents.ts"
import { ISSUE_ANSWERS } from "./graphql-issues.ts"
import { PULL_ANSWERS } from "./graphql-pulls.ts"
import type { Call, Reply, Route } from "./route.ts"

const ANSWERS = [...PULL_ANSWERS, ...ISSUE_ANSWERS]

function answer(call: Call): Reply {
  const text = String(call.body["query"]).trim()
  // A query can begin with its fragments.
  const query = text.slice(Math.max(0, text.search(/(query|mutation) \w+[({]/)))
  const variables = (call.body["variables"] ?? {}) as Variables
  const [, found] = ANSWERS.find(([pattern]) => pattern.test(query)) ?? []
  if (!found) return { status: 500, body: { message: `the double does not know: ${query}` } }
  try {
    return { status: 200, body: { data: found(call, variables) } }
  } catch (error) {
    const { message } = error as Error
    return { status: 200, body: { data: null, errors: [{ type: "NOT_FOUND", message }] } }
  }
}

export const GRAPHQL_ROUTES: readonly Route[] = [{ method: "POST", path: "/graphql", answer }]
