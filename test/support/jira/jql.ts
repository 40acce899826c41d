/** The part of Jira's query language that clients use to list issues: clauses joined by AND, and an order. */

/** The values of an issue by field: each has one value, or several. */
export type Facts = Readonly<Record<string, string | readonly string[]>>

export type Jql = {
  /** In lower case, as in `updated`; undefined: the query names none. */
  readonly order: { readonly field: string; readonly isDescending: boolean } | undefined
  /** Every value that a clause names, for each field. */
  readonly named: readonly (readonly [field: string, value: string])[]
  fits(facts: Facts): boolean
}

type Clause = {
  readonly field: string
  readonly values: readonly string[]
  readonly isNot: boolean
}

const WORD = String.raw`"(?:[^"\\]|\\.)*"|[^\s"(),=!]+`
const CLAUSE = new RegExp(
  String.raw`^\s*(${WORD})\s*(?:(!?=)\s*(${WORD})|(NOT\s+)?IN\s*\(([^)]*)\))\s*$`,
  "i",
)
const ORDER = /\s+ORDER\s+BY\s+(\w+)(?:\s+(ASC|DESC))?\s*$/i

/** @returns undefined for a query that it does not understand. */
export function parseJql(text: string): Jql | undefined {
  const [ordered, field, direction = "ASC"] = ORDER.exec(text) ?? []
  const order = field && { field: field.toLowerCase(), isDescending: /desc/i.test(direction) }
  const filter = ordered === undefined ? text : text.slice(0, -ordered.length)
  const clauses = splitByAnd(filter).map(clauseOf)
  if (clauses.includes(undefined)) return undefined
  const all = clauses as readonly Clause[]
  return {
    order: order || undefined,
    named: all.flatMap(({ field, values }) => values.map((value) => [field, value] as const)),
    fits: (facts) => all.every((clause) => fitsClause(clause, facts)),
  }
}

/** An AND between quotation marks is text. */
const splitByAnd = (text: string) =>
  (text.match(/(?:"(?:[^"\\]|\\.)*"|(?!\sAND\s)[^])+/gi) ?? []).map((part) =>
    part.replace(/^\s*AND\s/i, ""),
  )

function clauseOf(text: string): Clause | undefined {
  const [found, field = "", sign, value = "", not, list = ""] = CLAUSE.exec(text) ?? []
  if (found === undefined) return undefined
  const values = sign === undefined ? (list.match(new RegExp(WORD, "g")) ?? []) : [value]
  const isNot = sign === "!=" || not !== undefined
  return { field: unquoted(field).toLowerCase(), values: values.map(unquoted), isNot }
}

const unquoted = (text: string) =>
  text.startsWith('"') ? text.slice(1, -1).replaceAll(/\\(.)/g, "$1") : text

function fitsClause({ field, values, isNot }: Clause, facts: Facts): boolean {
  const own = [facts[field] ?? []].flat().map((one) => one.toLowerCase())
  return values.some((value) => own.includes(value.toLowerCase())) !== isNot
}
