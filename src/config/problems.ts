/** Describes the mistakes in a configuration: the place, and how to correct it. */
import { z } from "zod"
import { closest } from "../base/text/suggest.ts"
import { isSection, valueAt } from "../base/text/yaml.ts"
import { listReferences } from "./key-names.ts"
import { insteadOf } from "./repeated-keys.ts"

export type Problem = {
  /** The place, as `agents.coder.model`; empty for the file as a whole. */
  readonly path: string
  readonly message: string
}

type Issue = z.core.$ZodIssue

/**
 * One problem for each repair.
 *
 * @param input the file as written: the content of a variable is never printed.
 */
export function toProblems(
  error: z.ZodError,
  schema: z.ZodType,
  input: unknown,
): readonly Problem[] {
  return error.issues
    .map((issue) => chosen(issue, input))
    .flatMap((issue) => {
      const path = issue.path.map(String)
      if (issue.code === "unrecognized_keys")
        return issue.keys.map((key) => unknownKey([...path, key], keysAt(schema, path)))
      return [{ path: path.join("."), message: messageOf(issue, valueAt(input, path)) }]
    })
}

/** A value may be a word or a section: finds the mistake in the kind that was written. */
function chosen(issue: Issue, input: unknown): Issue {
  if (issue.code !== "invalid_union" || !isStandard(issue)) return issue
  const written = valueAt(input, issue.path.map(String))
  const isFitting = ([first]: readonly Issue[]) => isSection(written) === (first?.path.length !== 0)
  const found = issue.errors.find(isFitting) ?? issue.errors[0] ?? []
  // A misspelt key is also why the right one is missing.
  const inner = found.find(({ code }) => code === "unrecognized_keys") ?? found[0]
  return inner ? { ...inner, path: [...issue.path, ...inner.path] } : issue
}

function unknownKey(path: readonly string[], known: readonly string[]): Problem {
  const at = path.join(".")
  const instead = insteadOf(path)
  if (instead !== undefined) return { path: at, message: instead }
  const meant = closest(path.at(-1) ?? "", known)
  const help = meant ? `did you mean \`${meant}\`?` : `there are ${known.join(", ")}`
  return { path: at, message: `is not a known key: ${help}` }
}

function messageOf(issue: Issue, value: unknown): string {
  if (typeof value === "string" && listReferences(value).length > 0)
    return `cannot have the value of \`${value}\`${"values" in issue ? `: there is ${issue.values.join(", ")}` : ""}`
  if (issue.code === "invalid_value" && isStandard(issue)) return notOneOf(issue.values, value)
  if (issue.code === "invalid_type" && isStandard(issue)) return wrongType(issue.expected, value)
  if (issue.code === "invalid_key") return issue.issues[0]?.message ?? issue.message
  return issue.message
}

/** Whether the message is zod's own, and not one that the schema gives. */
function isStandard({ message }: Issue): boolean {
  return message.startsWith("Invalid ")
}

function notOneOf(values: readonly unknown[], value: unknown): string {
  const words = values.map(String)
  const meant = closest(String(value), words)
  const help = meant ? `did you mean \`${meant}\`?` : `there is ${words.join(", ")}`
  return `\`${String(value)}\` is not possible here: ${help}`
}

const WORDS: Readonly<Record<string, string>> = {
  string: "text",
  array: "a list",
  object: "a section of keys",
  record: "a section of names",
}

function wrongType(type: string, value: unknown): string {
  const expected = WORDS[type] ?? type
  if (value === undefined) return `is missing: it must be ${expected}`
  return value === null ? `is empty: it must be ${expected}` : `must be ${expected}`
}

/** The keys that an object of the schema takes at `path`, inside lists too; none if there is no object. */
function keysAt(schema: z.ZodType, path: readonly string[]): readonly string[] {
  const here = unwrapped(schema)
  if (here instanceof z.ZodUnion)
    return here.options.flatMap((one) => keysAt(one as z.ZodType, path))
  const [step, ...rest] = path
  if (step === undefined) return here instanceof z.ZodObject ? Object.keys(here.shape) : []
  const child = here instanceof z.ZodObject ? here.shape[step] : undefined
  if (child) return keysAt(child, rest)
  if (here instanceof z.ZodArray) return keysAt(here.element as z.ZodType, rest)
  return here instanceof z.ZodRecord ? keysAt(here.valueType as z.ZodType, rest) : []
}

function unwrapped(schema: z.ZodType): z.ZodType {
  const isWrapper =
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional
  return isWrapper ? unwrapped(schema.unwrap() as z.ZodType) : schema
}
