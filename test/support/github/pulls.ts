/** Pull requests. */
import type { MergeMethod, PullState } from "../forge/pulls.ts"
import { type Call, NOT_FOUND, type Reply, type Route } from "./route.ts"

function pullDocument(call: Call, pull: PullState): object {
  const { state } = call
  const url = `https://github.example/acme/demo/pull/${pull.number}`
  return {
    number: pull.number,
    html_url: url,
    title: pull.title,
    body: pull.body,
    state: pull.state,
    draft: pull.isDraft,
    merged: pull.merge !== null,
    merge_commit_sha: pull.merge,
    merged_at: pull.merge === null ? null : "2026-01-01T00:00:00Z",
    head: {
      ref: pull.head,
      sha: state.pulls.headOf(pull),
      repo: { id: pull.isFork === true ? 2 : 1 },
    },
    base: { ref: pull.base, repo: { id: 1 } },
    requested_reviewers: pull.reviewers.map((login) => ({ login })),
    requested_teams: [],
    mergeable_state: state.pulls.isProtected && !isApproved(pull) ? "blocked" : "clean",
  }
}

const isApproved = ({ reviews }: PullState) => reviews.some(({ state }) => state === "APPROVED")

function list(call: Call): Reply {
  const { query, state } = call
  const wanted = query.get("state") ?? "open"
  const head = query.get("head")?.replace(/^[^:]*:/, "")
  const base = query.get("base")
  const found = state.pulls.all
    .filter((pull) => wanted === "all" || pull.state === wanted)
    .filter((pull) => head === undefined || pull.head === head)
    .filter((pull) => base === null || pull.base === base)
  return { status: 200, body: found.map((pull) => pullDocument(call, pull)) }
}

const refusal = (status: number, message: string, errors: readonly object[] = []): Reply => ({
  status,
  body: { message, errors },
})

/** A user opens one. */
export function openPull(call: Call): Reply {
  const { body, state } = call
  const { pulls, issues } = state
  const [head, base] = [String(body["head"]), String(body["base"])]
  const isKnown = pulls.all.some(
    (pull) => pull.state === "open" && pull.head === head && pull.base === base,
  )
  if (isKnown) {
    pulls.openedTwice.push(head)
    const message = `A pull request already exists for acme:${head}.`
    return refusal(422, "Validation Failed", [{ message }])
  }
  if (!pulls.tip(head))
    return refusal(422, "Validation Failed", [{ field: "head", code: "invalid" }])
  if (!pulls.tip(base))
    return refusal(422, "Validation Failed", [{ field: "base", code: "invalid" }])
  const issue = issues.open({ isPull: true, author: call.login, title: String(body["title"]) })
  const made = pulls.open({
    number: issue.number,
    head,
    base,
    title: String(body["title"]),
    body: String(body["body"] ?? ""),
    isDraft: body["draft"] === true,
  })
  return { status: 201, body: pullDocument(call, made) }
}

/** Answers about one pull request; 404 if there is none. */
const about =
  (answer: (call: Call, pull: PullState) => Reply | undefined) =>
  (call: Call): Reply => {
    const pull = call.state.pulls.find(call.params["number"] ?? "")
    if (!pull) return NOT_FOUND
    return answer(call, pull) ?? { status: 200, body: pullDocument(call, pull) }
  }

function change({ body, state }: Call, pull: PullState): Reply | undefined {
  const { base, title, body: text, state: wanted } = body
  const refused = base === undefined ? undefined : state.pulls.retarget(pull, String(base))
  if (refused !== undefined) return refusal(422, refused)
  if (title !== undefined) pull.title = String(title)
  if (text !== undefined) pull.body = String(text)
  if (wanted === "closed") pull.state = "closed"
  return undefined
}

const PULL = "/repos/:owner/:repo/pulls/:number"

export const PULL_ROUTES: readonly Route[] = [
  { method: "GET", path: "/repos/:owner/:repo/pulls", answer: list },
  { method: "POST", path: "/repos/:owner/:repo/pulls", answer: openPull },
  { method: "GET", path: PULL, answer: about(() => undefined) },
  { method: "PATCH", path: PULL, answer: about(change) },
  {
    method: "POST",
    path: `${PULL}/requested_reviewers`,
    answer: about(({ body, state }, pull) => {
      const asked = body["reviewers"] as readonly string[]
      if (!asked.every((login) => state.members.has(login)))
        return refusal(422, "Reviews may only be requested from collaborators.")
      pull.reviewers = [...new Set([...pull.reviewers, ...asked])]
      return undefined
    }),
  },
  {
    method: "PUT",
    path: `${PULL}/merge`,
    answer: about(({ body, state }, pull) => {
      const { pulls } = state
      if (pull.state !== "open") return refusal(405, "Pull Request is not mergeable")
      if (body["sha"] !== undefined && body["sha"] !== pulls.headOf(pull))
        return refusal(409, "Head branch was modified. Review and try the merge again.")
      if (pulls.queue) return refusal(405, "Changes must be made through the merge queue")
      if (pulls.isProtected && !isApproved(pull))
        return refusal(405, "At least 1 approving review is required.")
      pulls.merge(pull, (body["merge_method"] ?? "merge") as MergeMethod)
      return { status: 200, body: { sha: pull.merge, merged: true } }
    }),
  },
]
