/** Reads YAML as plain values: one way for what a person approves and for what is in force. */
import { parseDocument } from "yaml"

export type ReadYaml =
  | { readonly kind: "ok"; readonly value: unknown }
  | { readonly kind: "invalid"; readonly messages: readonly string[] }

/** Text only makes text, numbers, switches, lists and sections: a tag such as `!!omap` is a mistake. */
const PLAIN = { schema: "core", resolveKnownTags: false, merge: false } as const
/** After a few mistakes the parser finds what only follows from them. */
const MESSAGES_MAX = 10

export function readYaml(text: string): ReadYaml {
  const document = parseDocument(text, PLAIN)
  const mistakes = [...document.errors, ...document.warnings]
  if (mistakes.length > 0) return invalid(mistakes.map(({ message }) => message.trim()))
  try {
    return { kind: "ok", value: document.toJS() }
  } catch (error) {
    // Aliases are followed only now: to anchors that do not exist, and to too many.
    if (!(error instanceof ReferenceError)) throw error
    return invalid([error.message])
  }
}

const invalid = (messages: readonly string[]): ReadYaml => ({
  kind: "invalid",
  messages: messages.slice(0, MESSAGES_MAX),
})
