/**
 * Tells the answers of a tracker from failures of the source.
 *
 * An answer about one thing (it is gone, it is forbidden) is returned. A failure of the whole source is
 * thrown, with the time of the next try where the tracker names one.
 */
import { z } from "zod"
import { SourceError } from "../errors.ts"

export type Answer<Data = unknown> =
  | { readonly kind: "ok"; readonly data: Data; readonly hasNext: boolean }
  /** The thing does not exist, or no longer. */
  | { readonly kind: "gone" }
  | { readonly kind: "forbidden"; readonly why: string }

export const OK: Answer = { kind: "ok", data: null, hasNext: false }
export const GONE: Answer<never> = { kind: "gone" }

/** @throws {SourceError} for the answer of something else, such as a proxy. */
export function checked<Data>(schema: z.ZodType<Data>, answer: Answer): Answer<Data> {
  if (answer.kind !== "ok") return answer
  const { data, success } = schema.safeParse(answer.data)
  if (!success)
    throw new SourceError("source.unreachable", "The answer is not one of the tracker's API.")
  return { ...answer, data }
}

/** A list without those of another form, so that one odd issue stops no others. None of them fits: no list. */
export const thoseFit = <Data>(schema: z.ZodType<Data>): z.ZodType<Data[]> =>
  z.array(z.unknown()).transform((all, context) => {
    const fits = all.flatMap((one) => {
      const { success, data } = schema.safeParse(one)
      return success ? [data] : []
    })
    const isNone = all.length > 0 && fits.length === 0
    if (isNone) context.addIssue({ code: "custom", message: "has none of the expected form" })
    return fits
  })

export function mapped<From, To>(answer: Answer<From>, change: (data: From) => To): Answer<To> {
  return answer.kind === "ok" ? { ...answer, data: change(answer.data) } : answer
}
