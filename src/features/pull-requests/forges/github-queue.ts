/**
 * GitHub's merge queue, which only its GraphQL API knows.
 *
 * @see https://docs.github.com/graphql/reference/objects#mergequeueentry
 */
import { z } from "zod"
import type { Queue, QueueRemoval } from "../rules.ts"
import { type ForgeApi, oid, refusalOf } from "./api.ts"
import { ForgeError } from "./errors.ts"
import type { Forge } from "./forge.ts"

const FIND = `query CoppiceFindQueue($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) {
    pullRequest(number: $number) {
      id
      isMergeQueueEnabled
      mergeQueue { configuration { mergeMethod } }
      mergeQueueEntry { headCommit { oid } }
      timelineItems(last: 1, itemTypes: [REMOVED_FROM_MERGE_QUEUE_EVENT]) {
        nodes { ... on RemovedFromMergeQueueEvent { id reason } }
      }
    }
  }
}`
const ENQUEUE = `mutation CoppiceEnqueue($input: EnqueuePullRequestInput!) {
  enqueuePullRequest(input: $input) { clientMutationId }
}`

const PullAnswer = z.object({
  id: z.string(),
  isMergeQueueEnabled: z.boolean(),
  mergeQueue: z
    .object({ configuration: z.object({ mergeMethod: z.string() }).nullish() })
    .nullish(),
  mergeQueueEntry: z.object({ headCommit: z.object({ oid }).nullish() }).nullish(),
  timelineItems: z.object({
    nodes: z.array(z.object({ id: z.string(), reason: z.string().nullish() })),
  }),
})
type PullAnswer = z.infer<typeof PullAnswer>

const Found = z.object({ repository: z.object({ pullRequest: PullAnswer }) })

/** Leaving the queue by a merge is no removal. */
const MERGED = /^(already_)?merged?$/i
const BY_PERSON = /^(manual|queue_cleared)$/i

type At = { readonly owner: string; readonly repo: string; readonly url: string }

export function githubQueue(
  api: ForgeApi,
  { url, ...at }: At,
): Pick<Forge, "findQueue" | "enqueue"> {
  // GitHub Enterprise has GraphQL next to the REST API, not below it.
  const route = `POST ${url.replace(/\/+$/, "").replace(/\/api\/v3$/, "/api")}/graphql`
  const find = async (number: number) => {
    const asked = { query: FIND, variables: { ...at, number } }
    return (await askGraphQl(api, route, asked, Found)).repository.pullRequest
  }
  return {
    findQueue: async (number) => {
      try {
        return queueOf(await find(number))
      } catch (error) {
        // An old server knows no queue, and some tokens may not ask.
        if (error instanceof ForgeError && !error.isUnavailable) return undefined
        throw error
      }
    },
    enqueue: async (number, { method, head }) => {
      const { id, mergeQueue } = await find(number)
      const way = mergeQueue?.configuration?.mergeMethod.toLowerCase()
      if (way !== undefined && way !== method)
        return `the merge queue merges by \`${way}\`, and \`auto_merge\` asks for \`${method}\``
      const input = { pullRequestId: id, expectedHeadOid: head }
      return refusalOf(
        askGraphQl(api, route, { query: ENQUEUE, variables: { input } }, z.unknown()),
      )
    },
  }
}

function queueOf({
  isMergeQueueEnabled,
  mergeQueueEntry,
  timelineItems,
}: PullAnswer): Queue | undefined {
  if (!isMergeQueueEnabled) return undefined
  return {
    isQueued: mergeQueueEntry != null,
    commit: mergeQueueEntry?.headCommit?.oid ?? null,
    removal: removalOf(timelineItems.nodes.at(-1)),
  }
}

function removalOf(
  event: PullAnswer["timelineItems"]["nodes"][number] | undefined,
): QueueRemoval | null {
  const reason = event?.reason || "GitHub gives no reason"
  if (event === undefined || MERGED.test(reason)) return null
  return { id: event.id, reason, isByPerson: BY_PERSON.test(reason) }
}

type GraphQl = { readonly query: string; readonly variables: Readonly<Record<string, unknown>> }

/** GraphQL answers a refusal with status 200. @throws {ForgeError} */
async function askGraphQl<Answer>(
  api: ForgeApi,
  route: string,
  asked: GraphQl,
  schema: z.ZodType<Answer>,
): Promise<Answer> {
  const refused = z.object({ errors: z.array(z.object({ message: z.string() })).min(1) })
  const answered = z.object({ data: schema }).transform(({ data }) => ({ data }))
  const answer = await api.ask(route, asked, z.union([refused, answered]))
  if ("data" in answer) return answer.data
  const text = answer.errors.map(({ message }) => message).join("; ")
  throw new ForgeError("forge.refused", `GitHub refuses it: ${text}`)
}
