/**
 * Asks Linear's GraphQL API, and tells its errors apart by their type.
 *
 * @see https://linear.app/developers/graphql
 */
import { z } from "zod"
import { type ApiOptions, RestClient } from "../../../rest/client.ts"
import { SourceError } from "../../errors.ts"
import { type Answer, checked, GONE } from "../answer.ts"
import { TrackerApi } from "../api.ts"

const Body = z.object({
  data: z.unknown().optional(),
  errors: z
    .array(
      z.object({
        message: z.string(),
        extensions: z.object({ type: z.string().nullish() }).nullish(),
      }),
    )
    .nullish(),
})

/** Errors about one thing. Any other error is one of Linear as a whole. */
const ABOUT_ONE = ["forbidden", "invalid input", "user error", "feature not accessible"]
/** A label or a state that does not exist is an error of the settings: the issue is still there. */
const NOT_FOUND = /^entity not found: (issue|comment)\b/i
const TEXT_CHARS_MAX = 500 // as for the message of any refusal

export class LinearApi {
  readonly #api: TrackerApi

  constructor(options: Omit<ApiOptions, "keptMax">) {
    this.#api = new TrackerApi((all) => new RestClient({ ...all, authorize }), options)
  }

  /** @throws {SourceError} if Linear as a whole cannot be used now. */
  async ask<Data>(
    [query, schema]: readonly [query: string, schema: z.ZodType<Data>],
    variables: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Answer<Data>> {
    const reply = await this.#api.ask("POST /graphql", { query, variables }, signal)
    const answer = checked(Body, reply)
    if (answer.kind === "forbidden" && NOT_FOUND.test(answer.why)) return GONE
    if (answer.kind !== "ok") return answer
    const [error] = answer.data.errors ?? []
    if (error) return this.#understand(error.message, error.extensions?.type ?? "")
    return checked(schema, { ...answer, data: answer.data.data })
  }

  #understand(message: string, type: string): Answer<never> {
    const text = message.slice(0, TEXT_CHARS_MAX)
    if (NOT_FOUND.test(text)) return GONE
    if (ABOUT_ONE.includes(type)) return { kind: "forbidden", why: text }
    if (type === "authentication error")
      throw new SourceError("source.refused", `${this.#api.url} refuses the token: ${text}.`)
    throw new SourceError("source.unreachable", `${this.#api.url} cannot be used now: ${text}.`)
  }
}

/** A personal key stands alone; a token of OAuth has its kind before it. */
const authorize = (token: string) => ({
  authorization: token.startsWith("lin_api_") ? token : `Bearer ${token}`,
})
