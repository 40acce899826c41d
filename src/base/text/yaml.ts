/** Reads YAML as plain values: one way for what a person approves and for what is in force. */
import { type Document, type Node, parseDocument, visit } from "yaml"

export type ReadYaml =
  | { readonly kind: "ok"; readonly value: unknown }
  | { readonly kind: "invalid"; readonly messages: readonly string[] }

/** Text only makes text, numbers, switches, lists and sections: a tag such as `!!omap` is a mistake. */
const PLAIN = { schema: "core", resolveKnownTags: false, merge: false } as const
/** After a few mistakes the parser finds what only follows from them. */
const MESSAGES_MAX = 10
/** The parser takes quadratic time to follow aliases. */
const ALIASES_MAX = 100

export function readYaml(text: string): ReadYaml {
  const document = parseDocument(text, PLAIN)
  const mistakes = [...document.errors, ...document.warnings]
  if (mistakes.length > 0) return invalid(mistakes.map(({ message }) => message.trim()))
  const fault = faultOfAliases(document)
  if (fault !== undefined) return invalid([fault])
  try {
    return { kind: "ok", value: document.toJS() }
  } catch (error) {
    // Aliases are followed only now: to anchors that do not exist, and to too many.
    if (!(error instanceof ReferenceError)) throw error
    return invalid([error.message])
  }
}

/** Whether a value that has been read is a map. */
export const isSection = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The part of a value that has been read; undefined if it has no such part. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, step) =>
      typeof at === "object" && at !== null ? (at as Record<string, unknown>)[step] : undefined,
    value,
  )
}

/** Looked for before aliases are followed: a short file of such aliases keeps the parser busy for hours. */
function faultOfAliases(document: Document): string | undefined {
  let count = 0
  let inner: string | undefined
  visit(document, {
    Alias(_, { source }, path) {
      count += 1
      if (path.some((outer) => (outer as Node & { anchor?: string }).anchor === source))
        inner = source
    },
  })
  if (inner !== undefined) return `The part \`&${inner}\` holds itself, by an alias.`
  return count > ALIASES_MAX ? `There are more than ${ALIASES_MAX} aliases.` : undefined
}

const invalid = (messages: readonly string[]): ReadYaml => ({
  kind: "invalid",
  messages: messages.slice(0, MESSAGES_MAX),
})
