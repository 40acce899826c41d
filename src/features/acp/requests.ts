/** Answers what an agent asks over the Agent Client Protocol: permissions, and questions to a person. */

import type { SessionStart, Turn } from "../../kernel/runtime/runtime.ts"
import { type Fields, fieldsOf, listOf, textOf } from "../runtimes/json-fields.ts"
import { RpcError } from "../runtimes/json-rpc.ts"

/** Kinds of tools that change files. A shell writes too, so the planning prompt also forbids it. */
const WRITES = /^(edit|delete|move)$/

type Asked = Pick<SessionStart, "person" | "signal" | "onlyReads"> & Pick<Turn, "phase">

/**
 * A program has tools of its own for files and terminals. It need not use ours, so there are none:
 * no path of an agent is ever read or written by the daemon.
 *
 * @throws {RpcError} for all other requests.
 */
export async function answerAcp(
  method: string,
  params: Fields,
  { person, signal, phase, onlyReads = false }: Asked,
): Promise<object> {
  const ask = (text: string, choices: readonly string[]) => person.ask({ text, choices }, signal)
  if (method === "session/request_permission")
    return await permit(params, onlyReads || phase === "planning", ask)
  if (method === "elicitation/create") return await answerForm(params, ask)
  throw new RpcError(`Coppice does not offer ${method}: use your own tools`)
}

type AskPerson = (text: string, choices: readonly string[]) => Promise<string | undefined>

/** A request for a tool is allowed, except a tool that writes files while the agent only reads. */
async function permit(params: Fields, onlyReads: boolean, ask: AskPerson): Promise<object> {
  const options = listOf(params["options"])
  const tool = fieldsOf(params["toolCall"])
  const isRefused = onlyReads && WRITES.test(textOf(tool["kind"]))
  const kinds = isRefused ? ["reject_once", "reject_always"] : ["allow_once", "allow_always"]
  const [found] = kinds.flatMap((kind) => options.filter((option) => option["kind"] === kind))
  if (found) return selected(found)
  if (isRefused || options.length === 0) return CANCELLED
  const names = options.map((option) => textOf(option["name"]))
  const answer = await ask(textOf(tool["title"]) || "How must the agent continue?", names)
  const chosen = options[names.indexOf(answer ?? "")]
  return chosen ? selected(chosen) : CANCELLED
}

const CANCELLED = { outcome: { outcome: "cancelled" } }
const selected = ({ optionId }: Fields) => ({ outcome: { outcome: "selected", optionId } })

/** A form: each of its fields is one question. */
async function answerForm(params: Fields, ask: AskPerson): Promise<object> {
  if (params["mode"] !== "form") return { action: "decline" }
  const message = textOf(params["message"])
  const content: Record<string, unknown> = {}
  const properties = fieldsOf(fieldsOf(params["requestedSchema"])["properties"])
  for (const [key, property] of Object.entries(properties)) {
    const field = fieldsOf(property)
    const what = textOf(field["description"]) || textOf(field["title"])
    const choices = choicesOf(field)
    const text = [message, what].filter((one) => one !== "").join("\n")
    const answer = await ask(
      text,
      choices.map(({ name }) => name),
    )
    if (answer === undefined) return { action: "cancel" }
    const [value = answer] = choices.flatMap((one) => (one.name === answer ? [one.value] : []))
    content[key] = toValue(field, value)
  }
  return { action: "accept", content }
}

type Choice = { readonly name: string; readonly value: unknown }

function choicesOf(field: Fields): readonly Choice[] {
  if (field["type"] === "boolean")
    return [
      { name: "yes", value: true },
      { name: "no", value: false },
    ]
  const items = fieldsOf(field["items"])
  const plain = [field["enum"] ?? items["enum"]].flat().filter((one) => typeof one === "string")
  const titled = listOf(field["oneOf"] ?? items["anyOf"])
  return [
    ...plain.map((one) => ({ name: one, value: one })),
    ...titled.map((one) => ({ name: textOf(one["title"]), value: one["const"] })),
  ]
}

function toValue({ type }: Fields, value: unknown): unknown {
  if (type === "array") return [value]
  return type === "number" || type === "integer" ? Number(value) : value
}
