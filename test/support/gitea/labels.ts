/** Labels of the repository, and those of its issues and pull requests, which share their numbers. */
import type { Label } from "gitea-js"
import type { Reply } from "../api-server.ts"
import { type GiteaCall, type GiteaRoute, MISSING, REPO } from "./route.ts"

/** A test adds them, or a client. Two may have the same name. */
export class Labels {
  readonly #names: string[] = []

  /** @returns the label's number. */
  add(name: string): number {
    return this.#names.push(name)
  }

  all(): readonly Required<Pick<Label, "id" | "name">>[] {
    const look = { color: "808080", description: "", exclusive: false, is_archived: false }
    return this.#names.map((name, at) => ({ id: at + 1, name, ...look }))
  }

  /** @param id the label's number, or its name. */
  nameOf(id: unknown): string | undefined {
    if (typeof id === "string") return this.#names.includes(id) ? id : undefined
    return this.#names[Number(id) - 1]
  }
}

/** Gitea says how many there are, and sends no links. */
function list({ state }: GiteaCall): Reply {
  const all = state.labels.all()
  return { status: 200, headers: { "x-total-count": String(all.length) }, body: all }
}

function create({ body, state }: GiteaCall): Reply {
  const name = String(body["name"])
  const id = state.labels.add(name)
  return { status: 201, body: state.labels.all()[id - 1] }
}

/** Answers with the labels of an issue or a pull request, after a change; 404 without one. */
const changing =
  (change: (call: GiteaCall, labels: Set<string>) => Reply | undefined) =>
  (call: GiteaCall): Reply => {
    const { params, state } = call
    const number = params["index"] ?? ""
    const pull = state.pulls.find(number)
    const issue = state.issues.find(number)
    const labels = issue?.labels ?? (pull && state.gitea.labelsOf(pull))
    if (!labels) return MISSING
    const reply = change(call, labels)
    if (issue) state.issues.change(issue, {})
    const shown = state.labels.all().filter(({ name }) => labels.has(name))
    return reply ?? { status: 200, body: shown, isWhole: true }
  }

const add = changing(({ body, state }, labels) => {
  for (const id of body["labels"] as readonly number[]) {
    const name = state.labels.nameOf(id)
    if (name !== undefined) labels.add(name)
  }
  return undefined
})

const remove = changing(({ params, state }, labels) => {
  const name = state.labels.nameOf(Number(params["id"]))
  if (name === undefined) return { status: 422, body: { message: "label does not exist" } }
  labels.delete(name)
  return { status: 204 }
})

const OF_ISSUE = `${REPO}/issues/:index/labels`

export const GITEA_LABEL_ROUTES: readonly GiteaRoute[] = [
  { method: "GET", path: `${REPO}/labels`, answer: list },
  { method: "POST", path: `${REPO}/labels`, answer: create },
  { method: "GET", path: OF_ISSUE, answer: changing(() => undefined) },
  { method: "POST", path: OF_ISSUE, answer: add },
  { method: "DELETE", path: `${OF_ISSUE}/:id`, answer: remove },
]
