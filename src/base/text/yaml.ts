/** Reads YAML as plain values: one way for what a person approves and for what is in force. */
import { type Document, isScalar, type Node, parseDocument, visit } from "yaml"

export type ReadYaml =
  | { readonly kind: "ok"; readonly value: unknown }
  | { readonly kind: "invalid"; readonly messages: readonly string[] }

/** Text only makes text, numbers, switches, lists and sections: a tag such as `!!omap` is a mistake. */
const PLAIN = { schema: "core", resolveKnownTags: false, merge: false } as const
/** The parser compares each key with each one before it, and copies text for each of many mistakes. */
const QUICK = { uniqueKeys: false, prettyErrors: false } as const
/** After a few mistakes the parser finds what only follows from them. */
const MESSAGES_MAX = 10
/** The parser takes quadratic time to follow aliases. */
const ALIASES_MAX = 100

export function readYaml(text: string): ReadYaml {
  const document = parseDocument(text, { ...PLAIN, ...QUICK })
  const mistakes = [...document.errors, ...document.warnings]
  const repeated = mistakes.length > 0 ? [] : repeatedKeys(document)
  const all = [...mistakes, ...repeated].slice(0, MESSAGES_MAX)
  if (all.length > 0) return invalid(all.map((mistake) => placed(text, mistake)))
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

type Mistake = { readonly message: string; readonly pos: readonly [number, ...number[]] }

function repeatedKeys(document: Document): Mistake[] {
  const found: Mistake[] = []
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        if (seen.has(key.value))
          found.push({ message: "Map keys must be unique", pos: [key.range?.[0] ?? 0] })
        seen.add(key.value)
      }
    },
  })
  return found
}

function placed(text: string, { message, pos: [at] }: Mistake): string {
  const before = text.slice(0, at)
  const line = before.split("\n").length
  return `${message.trim()} at line ${line}, column ${at - before.lastIndexOf("\n")}`
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
  messages,
})
