/** Filters of Linear's lists, and their pages. A filter or an argument that is not known is an error. */
import { GraphQLError } from "graphql"

/** A thing as GraphQL reads it. A function answers a field that is a list, or another thing. */
// biome-ignore lint/suspicious/noExplicitAny: the fields of any type
export type Thing = Readonly<Record<string, any>>

export type ListArguments = {
  readonly filter?: Thing | null
  readonly first?: number | null
  readonly after?: string | null
  readonly orderBy?: "createdAt" | "updatedAt" | null
}

const PAGE_SIZE = 50
const PAGE_SIZE_MAX = 250
const KNOWN = ["filter", "first", "after", "orderBy", "includeArchived"]

export const wrongInput = (message: string) =>
  new GraphQLError(message, {
    extensions: { type: "invalid input", code: "INPUT_ERROR", userError: true, statusCode: 400 },
  })

/** One page; the newest comes first. A cursor is the number of things before it. */
export function listed(all: readonly Thing[], asked: ListArguments): Thing {
  requireKnown(asked, KNOWN)
  const { filter, first, after, orderBy } = asked
  const size = first ?? PAGE_SIZE
  if (size > PAGE_SIZE_MAX) throw wrongInput(`first must not be greater than ${PAGE_SIZE_MAX}`)
  const order = orderBy ?? "createdAt"
  const found = all
    .filter((one) => fits(one, filter ?? {}))
    .reverse()
    .sort((one, two) => Date.parse(two[order]) - Date.parse(one[order]))
  const start = Number(after ?? 0)
  const nodes = found.slice(start, start + size)
  const end = start + nodes.length
  return {
    nodes,
    edges: nodes.map((node, at) => ({ node, cursor: String(start + at + 1) })),
    pageInfo: {
      hasNextPage: end < found.length,
      hasPreviousPage: start > 0,
      startCursor: nodes.length > 0 ? String(start + 1) : null,
      endCursor: nodes.length > 0 ? String(end) : null,
    },
  }
}

export function requireKnown(given: Thing, known: readonly string[]): void {
  for (const [key, value] of Object.entries(given))
    if (value !== null && !known.includes(key)) throw unknownTo(`the argument ${key}`)
}

const unknownTo = (what: string) => new GraphQLError(`This double does not know ${what}.`)

/** Every part of a filter must fit. */
function fits(thing: Thing, filter: Thing): boolean {
  return Object.entries(filter).every(([key, wanted]) => {
    if (wanted === null || wanted === undefined) return true
    if (key === "and") return wanted.every((one: Thing) => fits(thing, one))
    if (key === "or") return wanted.some((one: Thing) => fits(thing, one))
    if (!(key in thing)) throw unknownTo(`a filter by ${key}`)
    const value = thing[key]
    return fitsValue(typeof value === "function" ? value({ first: PAGE_SIZE_MAX }) : value, wanted)
  })
}

function fitsValue(value: unknown, { null: isNull, ...wanted }: Thing): boolean {
  if (isNull !== undefined && isNull !== null && isNull !== (value === null)) return false
  if (value === null) return Object.keys(wanted).length === 0
  if (typeof value !== "object") return Object.entries(wanted).every(comparing(value))
  const { nodes } = value as Thing
  return nodes === undefined ? fits(value as Thing, wanted) : fitsList(nodes, wanted)
}

function fitsList(nodes: readonly Thing[], { some, every, ...others }: Thing): boolean {
  const [other] = Object.keys(others)
  if (other !== undefined) throw unknownTo(`a filter of a list by ${other}`)
  return (
    (!some || nodes.some((one) => fits(one, some))) &&
    (!every || nodes.every((one) => fits(one, every)))
  )
}

const comparing =
  (value: unknown) =>
  ([operator, operand]: [string, unknown]): boolean => {
    const list = operand as readonly unknown[]
    const text = String(value).toLowerCase()
    if (operator === "eq") return value === operand
    if (operator === "neq") return value !== operand
    if (operator === "in") return list.includes(value)
    if (operator === "nin") return !list.includes(value)
    if (operator === "eqIgnoreCase") return text === String(operand).toLowerCase()
    if (operator === "containsIgnoreCase") return text.includes(String(operand).toLowerCase())
    throw unknownTo(`the comparison ${operator}`)
  }
